"""The recall gate: the first rule that fits decides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from beaver.agent.policy.gate import Reuse, Run, Skip, Standing, barred, decide, needless
from beaver.agent.policy.phrases import changes_topic, is_acknowledgement, looks_back

USUAL = Standing(begins=False, cached=False, shifted=False, window_open=True)


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "Thanks!",
        "thank you",
        "Yes, please.",
        "ok got it",
        "👍 great",
        "好的",
        "好的，谢谢！",
        "收到",
        "嗯嗯",
        "没问题",
        "明白了",
    ],
)
def test_a_few_words_that_only_acknowledge_are_an_acknowledgement(text: str) -> None:
    assert is_acknowledgement(text)


@pytest.mark.parametrize(
    "text",
    [
        "ok do it",
        "yes, use tabs",
        "thanks, but which port?",
        "no tests",
        "好的，用制表符",
        "可以吗这样写",
        "",
        "👍",
        "okra",
        "ok ok ok ok",
    ],
)
def test_what_says_anything_else_is_none(text: str) -> None:
    assert not is_acknowledgement(text)


@pytest.mark.parametrize(
    "text",
    [
        "Continue.",
        "as before, please",
        "What did we decide?",
        "we decided on tabs",
        "like last time",
        "继续",
        "上次的端口是多少",
        "之前说过",
    ],
)
def test_what_looks_back_is_known(text: str) -> None:
    assert looks_back(text)


@pytest.mark.parametrize("text", ["Which port does the server use?", "写一个测试", "Sort this list."])
def test_what_does_not_look_back_is_not(text: str) -> None:
    assert not looks_back(text)


@pytest.mark.parametrize("text", ["By the way, who is Ada?", "new topic: cooking", "换个话题", "顺便问一下"])
def test_an_announced_change_of_topic_is_one(text: str) -> None:
    assert changes_topic(text)


def test_a_session_that_is_off_comes_before_all_else() -> None:
    assert barred(off=True, denied=True) == Skip("off")


def test_a_project_without_memory_recalls_nothing() -> None:
    assert barred(off=False, denied=True) == Skip("denied")


@pytest.mark.parametrize(("prompt", "by_machine"), [("Run the nightly report", True), ("?!", False), ("👍", False)])
def test_what_nobody_said_in_words_is_a_machines_turn(prompt: str, by_machine: bool) -> None:
    assert needless(prompt, by_machine=by_machine) == Skip("machine_turn")


def test_an_acknowledgement_is_skipped_even_as_a_sessions_first_word() -> None:
    assert needless("ok thanks", by_machine=False) == Skip("ack")


def test_a_question_may_recall() -> None:
    assert barred(off=False, denied=False) is None
    assert needless("Which port?", by_machine=False) is None


@pytest.mark.parametrize(
    ("prompt", "standing", "decision"),
    [
        ("continue", replace(USUAL, begins=True, cached=True), Run("session_start")),
        ("continue", replace(USUAL, cached=True, shifted=True), Run("explicit_ref")),
        ("Which port?", replace(USUAL, cached=True, shifted=True), Reuse("cache_hit")),
        ("Which port?", replace(USUAL, shifted=True), Run("topic_change")),
        ("Which port?", USUAL, Reuse("topic_reuse")),
        ("Which port?", replace(USUAL, window_open=False), Run("window_expired")),
    ],
)
def test_the_first_rule_that_fits_decides(prompt: str, standing: Standing, decision: Run | Reuse) -> None:
    assert decide(prompt, standing) == decision
