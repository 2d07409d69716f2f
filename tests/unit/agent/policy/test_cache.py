"""The fingerprint cache: who asks, what, and the store's state; for a while, and not too many."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.agent.policy.cache import RecallCache, fingerprint
from beaver.agent.providers.relevance import terms
from tests.unit.agent.policy.recalled_items import OWNER

ASKED = terms("Which ports does the server listen on?")


class Time:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def cache(time: Time) -> RecallCache[tuple[str, ...]]:
    return RecallCache(entries_max=2, ttl_s=180, empty_ttl_s=60, clock=time)


def test_the_order_of_words_and_their_endings_do_not_count() -> None:
    assert fingerprint(OWNER, "1", ASKED) == fingerprint(OWNER, "1", terms("The server listens on which port"))


@pytest.mark.parametrize("part", ["tenant", "project", "user", "session"])
def test_another_owner_asks_another_question(part: str) -> None:
    assert fingerprint(replace(OWNER, **{part: "other"}), "1", ASKED) != fingerprint(OWNER, "1", ASKED)


def test_a_write_makes_it_another_question() -> None:
    assert fingerprint(OWNER, "1", ASKED) != fingerprint(OWNER, "2", ASKED)


@given(st.text(max_size=5), st.text(max_size=5), st.text(max_size=5), st.text(max_size=5))
def test_names_cannot_be_joined_into_those_of_another(a: str, b: str, c: str, d: str) -> None:
    mine, others = replace(OWNER, tenant=a, project=b), replace(OWNER, tenant=c, project=d)
    assert (fingerprint(mine, "1", ASKED) == fingerprint(others, "1", ASKED)) == ((a, b) == (c, d))


def test_an_entry_lives_for_its_time(cache: RecallCache[tuple[str, ...]], time: Time) -> None:
    cache.put("k", ("found",))
    time.now_s = 179.9
    assert cache.find("k") == ("found",)
    time.now_s = 180
    assert cache.find("k") is None


def test_nothing_found_is_kept_for_a_shorter_time(cache: RecallCache[tuple[str, ...]], time: Time) -> None:
    cache.put("k", ())
    time.now_s = 59.9
    assert cache.find("k") == ()
    time.now_s = 60
    assert cache.find("k") is None


def test_what_was_used_longest_ago_makes_room(cache: RecallCache[tuple[str, ...]]) -> None:
    cache.put("a", ("a",))
    cache.put("b", ("b",))
    assert cache.find("a") == ("a",)
    cache.put("c", ("c",))
    assert [cache.find(key) for key in "abc"] == [("a",), None, ("c",)]
