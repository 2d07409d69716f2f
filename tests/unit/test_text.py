"""Text at the border can always be stored and sent, and scripts without spaces are known."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beaver.text import count_unspaced, has_unspaced, is_unspaced, replace_surrogates, replace_surrogates_deep


@settings(deadline=None)
@given(st.text(st.characters(codec=None)))
def test_any_text_can_be_encoded_afterwards(text: str) -> None:
    replaced = replace_surrogates(text)

    assert len(replaced) == len(text)
    assert replaced.encode().decode() == replaced


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8")))
def test_sound_text_is_left_as_it_is(text: str) -> None:
    assert replace_surrogates(text) == text


def test_each_half_of_a_pair_becomes_a_replacement_character() -> None:
    assert replace_surrogates("a\ud83d\ude00b") == "a\ufffd\ufffdb"


def test_strings_inside_a_value_are_reached_with_their_keys() -> None:
    value = {"a\ud800": ["b\udfff", {"c": ("d\ud800", 7, None, True, 1.5)}]}

    replaced = replace_surrogates_deep(value)

    assert replaced == {"a\ufffd": ["b\ufffd", {"c": ["d\ufffd", 7, None, True, 1.5]}]}
    json.dumps(replaced, ensure_ascii=False).encode()


@pytest.mark.parametrize("character", "語かカ한ㄅ々〇ｶ㐀豈𠀀")
def test_characters_of_scripts_without_spaces_are_known(character: str) -> None:
    assert is_unspaced(character)
    assert has_unspaced(f"plain {character} text")


@pytest.mark.parametrize("text", ["", "plain text", "Ünïcödé", "русский", "العربية", "हिन्दी", "👩‍💻", "123 §"])
def test_other_scripts_are_not_taken_for_them(text: str) -> None:
    assert not has_unspaced(text)


@given(st.text())
def test_characters_of_scripts_without_spaces_are_counted(text: str) -> None:
    assert count_unspaced(text) == sum(map(is_unspaced, text))
