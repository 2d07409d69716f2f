"""The topic window: what belongs to a topic shares weight with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.agent.policy.topic import TopicWindow, cosine, is_shift, overlap
from beaver.agent.providers.relevance import terms

DATABASE = terms("Which database does the billing service use, PostgreSQL or SQLite?")
WINDOW = TopicWindow("k", "g", 1, DATABASE)

words = st.frozensets(st.sampled_from("abcdefgh"), max_size=8)


def test_more_about_the_same_is_no_shift() -> None:
    prompt = "How large may the billing database grow?"
    assert not is_shift(prompt, terms(prompt), WINDOW, [DATABASE])


def test_something_else_altogether_is_one() -> None:
    prompt = "Suggest a recipe with lentils and spinach"
    assert is_shift(prompt, terms(prompt), WINDOW, [DATABASE])


def test_two_content_words_never_shift_unless_they_say_so() -> None:
    assert not is_shift("lentils, spinach", terms("lentils, spinach"), WINDOW, [DATABASE])
    assert is_shift("new topic: lentils", terms("new topic: lentils"), WINDOW, [DATABASE])


def test_a_window_grows_by_the_words_of_its_turns() -> None:
    later = WINDOW.with_turn(terms("lentils"))
    assert later.turns == 2
    assert later.terms == DATABASE | terms("lentils")


RECIPE = "Suggest a recipe with lentils and spinach"
COST = "How much does billing charge for storage?"


def test_words_of_another_topic_are_no_shift_where_the_meaning_is_near() -> None:
    window = TopicWindow("k", "g", 1, DATABASE, (1.0, 0.0))
    assert not is_shift(RECIPE, terms(RECIPE), window, [DATABASE], (0.8, 0.6))
    assert is_shift(RECIPE, terms(RECIPE), window, [DATABASE], (0.2, 0.98))


def test_words_of_the_topic_are_no_shift_unless_the_meaning_is_turned_away() -> None:
    window = TopicWindow("k", "g", 1, DATABASE, (1.0, 0.0))
    assert not is_shift(COST, terms(COST), window, [DATABASE])
    assert not is_shift(COST, terms(COST), window, [DATABASE], (0.4, 0.9))
    assert is_shift(COST, terms(COST), window, [DATABASE], (-0.8, 0.6))


def test_a_turn_without_a_vector_is_compared_by_its_words_alone() -> None:
    window = TopicWindow("k", "g", 1, DATABASE, (1.0, 0.0))
    assert is_shift(RECIPE, terms(RECIPE), window, [DATABASE], None)
    assert is_shift(RECIPE, terms(RECIPE), WINDOW, [DATABASE], (1.0, 0.0))


def test_meaning_shifts_no_turn_of_two_content_words() -> None:
    window = TopicWindow("k", "g", 1, DATABASE, (1.0, 0.0))
    assert not is_shift("lentils, spinach", terms("lentils, spinach"), window, [DATABASE], (-1.0, 0.0))


def test_a_window_means_what_its_turns_mean_together() -> None:
    window = WINDOW.with_turn(DATABASE, (1.0, 0.0)).with_turn(DATABASE).with_turn(DATABASE, (0.0, 1.0))
    assert window.meaning is not None
    assert cosine(window.meaning, (1.0, 1.0)) == pytest.approx(1)


vectors = st.lists(st.floats(-1, 1), min_size=3, max_size=3)


@given(vectors, vectors)
def test_cosine_is_within_its_bounds_and_the_same_both_ways(one: list[float], other: list[float]) -> None:
    assert -1 - 1e-9 <= cosine(one, other) <= 1 + 1e-9
    assert cosine(one, other) == pytest.approx(cosine(other, one))


def test_a_vector_of_nothing_is_like_nothing() -> None:
    assert cosine((0.0, 0.0), (1.0, 0.0)) == 0


@given(words, words, st.lists(words, max_size=5))
def test_overlap_is_a_share_and_whole_for_what_is_held_whole(
    mine: frozenset[str], others: frozenset[str], heard: list[frozenset[str]]
) -> None:
    assert 0 <= overlap(mine, others, heard) <= 1 + 1e-9
    assert overlap(mine, mine | others, heard) >= (1 - 1e-9 if mine else 0)


@given(words.filter(bool), st.lists(words, max_size=5))
def test_nothing_in_common_is_no_overlap(mine: frozenset[str], heard: list[frozenset[str]]) -> None:
    assert overlap(mine, frozenset("xyz"), heard) == 0
