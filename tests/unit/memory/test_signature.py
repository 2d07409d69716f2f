"""Signatures: what ranking reads of a passage comes back as it was stored."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from beaver.memory.retrieval.dates import day
from beaver.memory.retrieval.signature import ASKS, COUNTS, TELLS_TIME, read_signatures, sign
from beaver.memory.retrieval.stems import stem_of, stems_of
from beaver.memory.retrieval.words import index_text

NOW_MS = 1_684_300_000_000
"""17 May 2023."""


def flags(text: str) -> int:
    return int(read_signatures([sign(text, NOW_MS)]).flags[0])


def test_a_signature_says_that_a_text_asks_tells_a_time_or_counts() -> None:
    assert flags("Where did you go?") == ASKS
    assert flags("Look at this! Nice? [shares a photo of a dog]") == ASKS
    assert flags("He came yesterday") == TELLS_TIME
    assert flags("She has two dogs") == COUNTS
    assert flags("A dog") == 0


def test_a_signature_holds_nouns_and_days() -> None:
    read = read_signatures([sign("we met Anna yesterday", NOW_MS)])
    assert read.nouns.tolist() == [stem_of("anna")]
    yesterday = day(date(2023, 5, 16))
    assert read.days.tolist() == [[yesterday.first, yesterday.last]]


def test_words_of_one_stem_have_one_number_and_stop_words_none() -> None:
    assert stem_of("dogs") == stem_of("dog")
    assert stem_of("the") is None


def test_a_signature_that_is_missing_or_of_another_version_is_a_passage_without_words() -> None:
    read = read_signatures([None, b"\x09whatever", sign("dog", NOW_MS)])
    assert read.stems_from.tolist() == [0, 0, 0, 1]
    assert read_signatures([]).stems_from.tolist() == [0]


@given(st.lists(st.text(max_size=200), max_size=5))
def test_every_stem_comes_back_in_order(texts: list[str]) -> None:
    read = read_signatures([sign(text, NOW_MS) for text in texts])
    for number, text in enumerate(texts):
        mine = read.stems[read.stems_from[number] : read.stems_from[number + 1]]
        assert mine.tolist() == stems_of(index_text(text))
