"""A slip of the keyboard is read as the word that somebody wrote; a word is read as it stands."""

from __future__ import annotations

import pytest

from beaver.memory.retrieval.asking.misspelt import TERMS_MAX, WORDS_MAX, respelt
from beaver.memory.retrieval.asking.query import ForTerms, plan_query
from beaver.memory.retrieval.index.growing import Growing
from beaver.memory.retrieval.index.index_store import MESSAGE, PassageRow
from beaver.memory.retrieval.index.snapshot import Snapshot
from beaver.memory.retrieval.signature import sign
from beaver.memory.retrieval.terms import Term
from tests.support.memory_gateway import MORNING_MS

WRITTEN = ("My husband Ida lives by the sea, running.", "A biscuit for the birthday.")


def memory(*texts: str) -> Snapshot:
    """One in which this was said."""
    growing = Growing(frozenset({"ada"}))
    growing.add_passages(
        [
            PassageRow(number, 1, None, MESSAGE, 0, MORNING_MS, sign(text, MORNING_MS), "ada", None)
            for number, text in enumerate(texts)
        ]
    )
    return growing.snapshot


def spellings(question: str, *texts: str) -> list[tuple[str, ...]]:
    plan = plan_query(question)
    assert isinstance(plan, ForTerms)
    return [term.spellings for term in respelt(plan.terms, memory(*texts))]


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
    assert spellings(f"{slip}?", *WRITTEN) == [(slip.lower(), meant)]


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
    assert respelt(plan.terms, memory(*WRITTEN)) == plan.terms


def test_a_word_that_nothing_is_near_to_stays() -> None:
    assert spellings("qwrtzpl?", *WRITTEN) == [("qwrtzpl",)]


def test_of_one_question_few_words_are_tried_and_of_a_long_one_none() -> None:
    slips = [f"husban{letter}" for letter in "bcfghj"]
    tried = [len(each) for each in spellings(" ".join(slips), *WRITTEN)]
    assert tried == [2] * WORDS_MAX + [1] * (len(slips) - WORDS_MAX)
    long = [Term((f"husbn{letter}d",)) for letter in "abcdefghijklmnopqrstuvwxyz"][: TERMS_MAX + 1]
    assert respelt(long, memory(*WRITTEN)) == tuple(long)


def test_a_memory_of_nothing_knows_no_spelling() -> None:
    assert spellings("husbnad?") == [("husbnad",)]


def test_a_slip_that_was_asked_before_is_one_still_and_what_was_told_is_none() -> None:
    before = "What is the name of my husbnad?", "name of my husbnad"
    assert spellings("name of my husbnad", *WRITTEN, *before) == [("name",), ("husbnad", "husband")]
    told = "The painter Husbnad has a new exhibition in town."
    assert spellings("name of my husbnad", *WRITTEN, told) == [("name",), ("husbnad",)]
