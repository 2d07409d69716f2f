"""The beginning of what somebody said, short enough for a list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.sessions.openings import FIRST_WORDS_CHARACTERS, first_words


def test_they_stand_on_one_line() -> None:
    assert first_words("one\n\n two\tthree ") == "one two three"


def test_what_is_too_long_is_cut_between_two_words() -> None:
    cut = first_words("How do the beavers of the upper river build their dams so late in autumn?")
    assert cut == "How do the beavers of the upper river build their dams so…"


def test_a_last_word_that_fits_is_kept_whole() -> None:
    said = "word " * 11 + "last."
    assert len(said) == FIRST_WORDS_CHARACTERS
    assert first_words(said) == said


@pytest.mark.parametrize("script", ["我们昨天讨论了数据库备份", "来週の会議で話します"])
def test_scripts_without_spaces_are_cut_by_characters(script: str) -> None:
    said = script * 9
    assert first_words(said) == said[: FIRST_WORDS_CHARACTERS - 1] + "…"


def test_a_word_among_characters_is_not_cut_through() -> None:
    said = "我" * 55 + "PostgreSQL数据库"
    assert first_words(said) == "我" * 55 + "…"


def test_a_word_longer_than_a_line_is_cut_where_the_line_ends() -> None:
    assert first_words("see https://example.org/" + "a" * 200) == "see https://example.org/" + "a" * 35 + "…"


@given(st.text(max_size=300))
def test_they_begin_the_text_and_are_bounded(said: str) -> None:
    words = first_words(said)
    assert len(words) <= FIRST_WORDS_CHARACTERS
    assert " ".join(said.split()).startswith(words.removesuffix("…"))
