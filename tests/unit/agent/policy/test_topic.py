"""The topic window: what belongs to a topic shares weight with it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from beaver.agent.policy.topic import TopicWindow, is_shift, overlap
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


@given(words, words, st.lists(words, max_size=5))
def test_overlap_is_a_share_and_whole_for_what_is_held_whole(
    mine: frozenset[str], others: frozenset[str], heard: list[frozenset[str]]
) -> None:
    assert 0 <= overlap(mine, others, heard) <= 1 + 1e-9
    assert overlap(mine, mine | others, heard) >= (1 - 1e-9 if mine else 0)


@given(words.filter(bool), st.lists(words, max_size=5))
def test_nothing_in_common_is_no_overlap(mine: frozenset[str], heard: list[frozenset[str]]) -> None:
    assert overlap(mine, frozenset("xyz"), heard) == 0
