"""What maintenance makes of several observations: nobody reads or trusts it who could not do so with each of them."""

from __future__ import annotations

import itertools

import pytest

from beaver.memory.observations.records import Observation, Store, Trust
from beaver.memory.upkeep.policy import split, summary_of

NUMBERS = itertools.count(1)


def observed(store: Store = "private", trust: Trust = "owner", *, fact: str = "a fact", at_ms: int = 1) -> Observation:
    return Observation(
        id=f"obs_{next(NUMBERS)}",
        store=store,
        type="event",
        title="House",
        narrative="",
        facts=(fact,),
        tags=(),
        related_files=(),
        related_people=(),
        evidence=(),
        source="tool",
        min_trust=trust,
        mention_count=2,
        token_count=3,
        pinned=False,
        session_id=None,
        created_ms=at_ms,
        updated_ms=at_ms,
    )


@pytest.mark.parametrize(
    ("sources", "store", "trust"),
    [
        ([("private", "owner"), ("private", "full")], "private", "full"),
        ([("social", "familiar"), ("private", "owner"), ("shared", "inner")], "private", "familiar"),
        ([("social", "familiar"), ("shared", "inner")], "shared", "familiar"),
    ],
)
def test_24_what_is_made_of_several_is_kept_as_closely_and_trusted_as_little_as_any(
    sources: list[tuple[Store, Trust]], store: Store, trust: Trust
) -> None:
    made = summary_of([observed(*source) for source in sources], "obs_new")
    assert (made.store, made.min_trust) == (store, trust)


def test_the_newest_fact_comes_first_and_mentions_add_up() -> None:
    made = summary_of([observed(fact="old", at_ms=1), observed(fact="new", at_ms=5)], "obs_new")
    assert made.facts == ("new", "old")
    assert (made.mention_count, made.created_ms, made.updated_ms) == (4, 1, 5)


def test_a_rest_of_too_few_waits() -> None:
    rows = [observed() for _ in range(5)]
    assert [len(part) for part in split(rows, at_most=4, at_least=2)] == [4]
    assert [len(part) for part in split(rows, at_most=3, at_least=2)] == [3, 2]
