"""Ranking and the budget gate."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beaver.agent.policy.budget import allowance, fitting
from beaver.agent.policy.quota import ReadQuota
from beaver.agent.policy.ranking import Thresholds, rank, recency, score
from beaver.agent.policy.stores import Hit
from tests.unit.agent.policy.recalled_items import DAY_MS, NOW_MS, hit, item

shares = st.floats(0, 1)
hits = st.lists(
    st.builds(
        Hit,
        st.builds(
            item,
            st.text("abcdef", min_size=1, max_size=4),
            pinned=st.booleans(),
            confidence=shares,
            updated_at=st.integers(NOW_MS - 400 * DAY_MS, NOW_MS),
        ),
        st.none() | shares,
        st.none() | shares,
    ),
    max_size=8,
    unique_by=lambda one: one.item.id,
)


def ids(found: list[Hit]) -> list[str]:
    return [one.item.id for one in rank(found, NOW_MS, Thresholds())]


def test_the_score_weighs_meaning_words_and_recency() -> None:
    assert score(hit(semantic=0.8, keyword=0.5), NOW_MS) == pytest.approx(0.55 * 0.8 + 0.35 * 0.5 + 0.10)


def test_what_cannot_be_measured_leaves_its_weight_to_the_rest() -> None:
    assert score(hit(semantic=None, keyword=0.5), NOW_MS) == pytest.approx((0.35 * 0.5 + 0.10) / 0.45)


def test_recency_halves_in_two_weeks() -> None:
    assert recency(NOW_MS - 14 * DAY_MS, NOW_MS) == pytest.approx(0.5)
    assert recency(NOW_MS + DAY_MS, NOW_MS) == 1


def test_what_is_only_recent_is_not_recalled() -> None:
    assert ids([hit(keyword=0.19), hit("i-2", semantic=0.34, keyword=0.0)]) == []


def test_a_doubtful_item_is_not_recalled_even_when_pinned() -> None:
    assert ids([hit(confidence=0.49), hit("i-2", confidence=0.49, pinned=True)]) == []


def test_a_pinned_item_needs_no_score_but_must_be_relevant() -> None:
    old = NOW_MS - 300 * DAY_MS
    weak = {"keyword": 0.21, "updated_at": old}
    assert ids([hit("plain", **weak), hit("pinned", pinned=True, **weak)]) == ["pinned"]
    assert ids([hit("pinned", pinned=True, keyword=0.1)]) == []


def test_a_pinned_item_comes_before_what_answers_better() -> None:
    better = [hit(f"b{n}", keyword=0.9) for n in range(5)]
    assert ids([*better, hit("pinned", pinned=True, keyword=0.25)]) == ["pinned", "b0", "b1", "b2", "b3"]


def test_pinned_items_fill_three_places_at_most() -> None:
    pinned = [hit(f"p{n}", pinned=True) for n in range(5)]
    assert ids([*pinned, hit("plain", keyword=0.5)]) == ["p0", "p1", "p2", "plain"]


@given(hits)
@settings(max_examples=40)
def test_ranking_keeps_the_thresholds_whatever_comes(found: list[Hit]) -> None:
    ranked = rank(found, NOW_MS, Thresholds())
    assert len(ranked) <= 5
    assert sum(one.item.pinned for one in ranked) <= 3
    assert all(one.item.confidence >= 0.5 and 0 <= one.score <= 1 + 1e-9 for one in ranked)
    assert all(one.score >= 0.3 for one in ranked if not one.item.pinned)
    order = [(not one.item.pinned, -one.score) for one in ranked]
    assert order == sorted(order)


@given(hits)
@settings(max_examples=40)
def test_the_order_in_which_hits_come_changes_nothing(found: list[Hit]) -> None:
    assert rank(found, NOW_MS, Thresholds()) == rank(found[::-1], NOW_MS, Thresholds())


@given(st.lists(st.integers(0, 50), max_size=20), st.integers(0, 200))
def test_what_fits_is_within_the_budget_and_in_order(tokens: list[int], allowed: int) -> None:
    kept = fitting(list(enumerate(tokens)), lambda line: line[1], allowed)
    assert sum(size for _, size in kept) <= allowed
    assert list(kept) == sorted(kept)


def test_a_line_that_does_not_fit_is_skipped_and_a_shorter_one_taken() -> None:
    assert fitting(["aaaa", "aaaaaaaa", "aa"], len, 7) == ("aaaa", "aa")


@pytest.mark.parametrize(
    ("context", "used", "allowed"),
    [(128_000, 1_000, 600), (4_000, 1_000, 300), (4_000, 4_000, 100), (4_000, 400_000, 100)],
)
def test_a_store_may_take_a_tenth_of_what_is_left(context: int, used: int, allowed: int) -> None:
    assert allowance(context_tokens=context, used_tokens=used, tokens_max=600, share=0.10) == allowed


@given(st.integers(), st.integers(0, 40))
@settings(max_examples=20)
def test_no_hundred_turns_in_a_row_read_more_often_than_allowed(seed: int, most: int) -> None:
    quota, chance = ReadQuota(most), Random(seed)
    read = []
    for _ in range(250):
        quota.begin_turn()
        read.append(chance.random() < 0.6 and quota.take())
    assert all(sum(read[start : start + 100]) <= most for start in range(len(read)))
