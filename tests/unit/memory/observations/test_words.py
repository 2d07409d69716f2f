"""Words and likeness of observations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.memory.observations.words import asked_words, label_words, likeness, says_within, spoken_words, turns


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("she lived by the sea", "living"),
        ("her favorite color", "favourite colour"),
        ("四川火锅", "火锅"),
        ("四川火锅", "锅"),
        ("Käse", "kaese"),
        ("Käse", "kase"),
        ("🚀 launch", "🚀"),
    ],
)
def test_what_is_asked_stands_among_the_labels(said: str, asked: str) -> None:
    labels = set(label_words(said))
    assert all(any(spelling in labels for spelling in spellings) for spellings in asked_words(asked))
    assert asked_words(asked)


def test_stop_words_are_neither_labels_nor_asked_for() -> None:
    assert label_words("the of and") == []
    assert asked_words("what is the") == []


@pytest.mark.parametrize(
    ("one", "other", "within"),
    [
        ("green tea", "likes green tea", True),
        ("tea green", "likes green tea", False),
        ("", "likes green tea", False),
        ("likes green tea", "green tea", False),
    ],
)
def test_one_text_says_no_more_than_another_if_its_words_stand_there_in_order(
    one: str, other: str, within: bool
) -> None:
    assert says_within(spoken_words(one), spoken_words(other)) is within


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("eats fish", "never eats fish", False),
        ("at 9", "at 10", False),
        ("我喜欢鱼", "我不喜欢鱼", False),
        ("doesn't eat fish", "eats fish", False),
        ("eats fish at 9", "9 fish eaten", True),
    ],
)
def test_negations_and_numbers_turn_a_statement(one: str, other: str, same: bool) -> None:
    assert (turns(one) == turns(other)) is same


@given(st.text(), st.text())
def test_likeness_is_a_symmetric_share(one: str, other: str) -> None:
    words, others = spoken_words(one), spoken_words(other)
    assert 0 <= likeness(words, others) <= 1
    assert likeness(words, others) == likeness(others, words)
    assert likeness(words, words) == (1 if words else 0)
