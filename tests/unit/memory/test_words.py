"""Words: the same text gives the same words when it is stored and when it is asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.memory.retrieval.words import index_text, query_terms


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World!", "hello world"),
        ("user@example.com/path?x=1", "user example com path x 1"),
        ("Ａ１ full width", "a1 full width"),
        ("Müller", "muller mueller"),
        ("Straße", "strasse"),
        ("café naïve", "cafe naive"),
        ("我喜欢猫", "我 喜 欢 猫 我喜 喜欢 欢猫"),
        ("Tokyo東京2020", "tokyo 東 京 東京 2020"),
        ("が", "が"),
        ("हिन्दी", "हिन्दी"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zero width"),
        ("I ❤️ 🐶!", "i ❤ 🐶"),
        ("", ""),
        ("\x00\x02\x03 -- ''", ""),
    ],
)
def test_text_becomes_words(text: str, words: str) -> None:
    assert index_text(text) == words


def test_a_run_of_one_ideograph_is_asked_for_alone_and_a_longer_one_by_its_pairs() -> None:
    assert list(query_terms("猫")) == [("猫",)]
    assert list(query_terms("喜欢猫")) == [("喜欢",), ("欢猫",)]


def test_a_word_with_an_umlaut_is_asked_for_in_both_spellings() -> None:
    assert list(query_terms("Köln")) == [("koln", "koeln")]


@given(st.text())
def test_every_word_asked_for_is_among_the_words_stored_of_the_same_text(text: str) -> None:
    stored = set(index_text(text).split(" "))
    for spellings in query_terms(text):
        assert stored.issuperset(spellings)


@given(st.text())
def test_words_hold_nothing_that_the_index_could_take_for_syntax(text: str) -> None:
    for spellings in query_terms(text):
        assert not set("\"'*^:(){}+- \x00\x02\x03") & set("".join(spellings))


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_text_gives_the_same_words_beside_text_that_is_not(text: str) -> None:
    assert index_text(f"{text} \N{EN DASH}") == index_text(text)
