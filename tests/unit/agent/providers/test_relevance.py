"""Which words count, what asks, and what is near."""

from __future__ import annotations

import pytest

from beaver.agent.providers.relevance import is_question, scores, sentences, terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I lived here", "living"),
        ("my dog's", "Dogs"),
        ("she called", "the call"),
        ("running", "RUN"),
        ("two cities", "a city"),
        ("studies", "study"),
        ("Straße", "STRASSE"),
    ],
)
def test_forms_of_a_word_meet(one: str, other: str) -> None:
    assert terms(one) & terms(other)


def test_stop_words_say_nothing() -> None:
    assert terms("What do you know about me, and how is it?") == frozenset()
    assert terms("你的是什么") == frozenset()


def test_scripts_without_spaces_become_pairs() -> None:
    assert terms("小黑狗x86机") == frozenset({"小黑", "黑狗", "x86", "机"})


@pytest.mark.parametrize(
    "text",
    [
        "Why?",
        "where do I live",
        "what's the name of my dog",
        "who’s my boss",
        "(Is it?)",
        "Tell me about Oslo",
        "remind me what I said",
        "你叫什么名字",
        "好吗？",
        "在哪里",
    ],
)
def test_these_ask(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    ["I live in Oslo", "What I like best is hiking.", "Remind me to buy milk", "我住在北京。", "", "May was cold."],
)
def test_these_state(text: str) -> None:
    assert not is_question(text)


def test_sentences_end_where_their_script_ends_them() -> None:
    assert sentences("One. Two!  Three\nfour。五！ 3.5 kg") == ["One.", "Two!", "Three", "four。", "五！", "3.5 kg"]


def test_rare_terms_weigh_more_and_an_empty_query_is_near_nothing() -> None:
    near = scores(terms("dog name Rufus"), ["a dog", "a dog", "a dog", "Rufus", "cat"])
    assert near[3] > near[0] > near[4] == 0
    assert scores(frozenset(), ["a", "b"]) == [0.0, 0.0]
    assert scores(terms("dog"), ["dog"]) == [1.0]
