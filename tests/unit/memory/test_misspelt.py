"""A slip of the keyboard is read as the word that somebody wrote; a word is read as it stands."""

from __future__ import annotations

import numpy as np
import pytest

from beaver.memory.retrieval.misspelt import TERMS_MAX, WORDS_MAX, respelt
from beaver.memory.retrieval.postings import Postings
from beaver.memory.retrieval.query import ForTerms, Term, plan_query
from beaver.memory.retrieval.stems import stems_of

WRITTEN = "husband biscuit birthday live running ida"


def postings(words: str = WRITTEN) -> Postings:
    stems = np.array(stems_of(words), np.uint32)
    return Postings.none().with_more(stems, np.arange(len(stems), dtype=np.int32))


def spellings(question: str, words: str = WRITTEN) -> list[tuple[str, ...]]:
    plan = plan_query(question)
    assert isinstance(plan, ForTerms)
    return [term.spellings for term in respelt(plan.terms, postings(words))]


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("husbnad", "husband"),  # two letters swapped
        ("husbandd", "husband"),  # one too many
        ("husbad", "husband"),  # one too few
        ("buscuit", "biscuit"),  # another one
        ("Birthdya", "birthday"),
        ("liev", "live"),
    ],
)
def test_a_slip_is_read_as_what_was_written(slip: str, meant: str) -> None:
    assert spellings(f"{slip}?") == [(slip.lower(), meant)]


@pytest.mark.parametrize(
    "word",
    [
        "cousin",  # a word
        "lice",  # a word near another
        "running",  # written
        "wher",  # a slip of a word that says nothing
        "lvie2",  # no word of letters
        "idda",  # too short for any slip
        "hsubnad",  # two slips
        "müsband",
        "丈夫",
    ],
)
def test_what_is_no_slip_is_read_as_it_stands(word: str) -> None:
    plan = plan_query(word)
    assert isinstance(plan, ForTerms)
    assert respelt(plan.terms, postings()) == plan.terms


def test_a_word_that_nothing_is_near_to_stays() -> None:
    assert spellings("qwrtzpl?") == [("qwrtzpl",)]


def test_of_one_question_few_words_are_tried_and_of_a_long_one_none() -> None:
    slips = [f"husban{letter}" for letter in "bcfghj"]
    tried = [len(each) for each in spellings(" ".join(slips))]
    assert tried == [2] * WORDS_MAX + [1] * (len(slips) - WORDS_MAX)
    long = [Term((f"husbn{letter}d",)) for letter in "abcdefghijklmnopqrstuvwxyz"][: TERMS_MAX + 1]
    assert respelt(long, postings()) == tuple(long)


def test_a_memory_of_nothing_knows_no_spelling() -> None:
    assert spellings("husbnad?", "") == [("husbnad",)]
