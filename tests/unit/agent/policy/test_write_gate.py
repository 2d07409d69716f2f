"""What is kept of a turn, and for what reason the rest is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.agent.policy.candidates import DAY_MS, NO_ATTRIBUTES, Attributes, Candidate, expires_ms
from beaver.agent.policy.denylist import Denylist
from beaver.agent.policy.privacy import redact
from beaver.agent.policy.stores import ITEM_TYPES, ItemType
from beaver.agent.policy.write_gate import came_from_recall, rejection, turn_rejection
from beaver.cli.local_memory.attributes import ATTRIBUTES

RULE = "Always run the linter before you commit"


def judged(
    text: str = RULE,
    *,
    confidence: float = 0.9,
    kind: ItemType = "rule",
    said: str = "",
    recalled: tuple[str, ...] = (),
    denylist: Denylist | None = None,
    tags: tuple[str, ...] = (),
    attributes: Attributes = NO_ATTRIBUTES,
) -> str | None:
    candidate = Candidate(kind, text, confidence, "rules", tags)
    return rejection(
        candidate,
        redacted=redact(text),
        said=said,
        recalled=recalled,
        denylist=denylist or Denylist(),
        project="default",
        attributes=attributes,
    )


@pytest.mark.parametrize(
    "text", [RULE, "以后请用中文回答我的问题", "I prefer tabs over spaces in Go", "x" * 150 + " linter commit tests"]
)
def test_a_clear_statement_is_kept(text: str) -> None:
    assert judged(text) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I like tea", "too_short"),
        ("linter commit tests " * 21, "too_long"),
        ("this is what it was", "too_few_terms"),
        ("Should we always run the linter before a commit?", "question"),
        ("我们以后应该用什么数据库?", "question"),
        ("uk_0123456789abcdef0123456789abcdef is mine now", "private"),
    ],
)
def test_a_statement_that_is_none_is_not(text: str, reason: str) -> None:
    assert judged(text) == reason


@pytest.mark.parametrize("text", ["I live in Lyon", "My name is Ada", "我住在里昂"])
def test_a_fact_about_where_one_lives_says_enough_however_short(text: str) -> None:
    assert judged(text, kind="fact", attributes=ATTRIBUTES) is None
    assert judged(text, kind="rule", attributes=ATTRIBUTES) in {"too_short", "too_few_terms"}


def test_confidence_counts_from_a_threshold_on() -> None:
    assert judged(confidence=0.65) is None
    assert judged(confidence=0.64) == "low_confidence"


def test_what_the_denylist_names_is_not_kept() -> None:
    assert judged("Deploy with the keys of secrets/prod.yaml", denylist=Denylist(paths=("secrets/*",))) == "denied"
    assert judged(tags=("health",), denylist=Denylist(tags=("health",))) == "denied"
    assert judged(denylist=Denylist(projects=("default",))) == "denied"


def test_what_came_from_injected_memory_is_not_kept_again() -> None:
    recalled = ("- rule (project): Always run the linter before you commit, learned on Monday",)

    assert judged(said="what are the rules", recalled=recalled) == "recalled"
    assert judged(said=f"{RULE}, as I said", recalled=recalled) is None


@given(st.sampled_from(ITEM_TYPES), st.floats(0, 1), st.text(max_size=500))
def test_nothing_unsure_too_long_or_without_content_ever_passes(kind: ItemType, confidence: float, text: str) -> None:
    if judged(text, confidence=confidence, kind=kind) is None:
        assert confidence >= 0.65
        assert 6 <= len(text) <= 400


@given(st.text(max_size=200))
def test_what_the_user_said_is_never_taken_for_recalled(text: str) -> None:
    assert not came_from_recall(text, said=text, recalled=(text,))


@pytest.mark.parametrize(
    ("reason", "kept"), [("stop", True), ("tool_limit", True), ("error", False), ("interrupted", False)]
)
def test_only_a_normal_end_counts(reason: str, kept: bool) -> None:
    assert (turn_rejection(reason) is None) is kept  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "text", "scope", "days"),
    [
        ("todo", "Send the report to Ada", "project", 30),
        ("fact", "My dog is called Biscuit", "global", 180),
        ("fix", "The build failed; clearing the cache fixed it", "project", 180),
        ("rule", RULE, "project", None),
        ("preference", "I prefer tabs over spaces", "global", None),
        ("preference", "In this chat I prefer short answers", "session", 7),
    ],
)
def test_an_item_lives_as_long_as_its_sort(kind: ItemType, text: str, scope: str, days: int | None) -> None:
    item = Candidate(kind, text, 0.9, "rules").item(now_ms=1_000)

    assert item.scope == scope
    assert item.expires_ms == (None if days is None else 1_000 + days * DAY_MS)
    assert item.expires_ms == expires_ms(kind, item.scope, 1_000)
