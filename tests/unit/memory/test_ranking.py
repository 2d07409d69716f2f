"""Ranking: order, range, floor and copies, on candidates as the index gives them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.memory.retrieval.ranking import Candidate, Ranked, rank
from beaver.memory.retrieval.terms import Term

NOW_MS = 1_780_000_000_000
DAY_MS = 86_400_000
DOG, CALLED, REX = Term(("dog",)), Term(("called",)), Term(("rex",))


def candidate(number: int, marked: str, *, message: str | None = "", age_days: float = 1) -> Candidate:
    """`*word*` is a word that the index marked."""
    pieces = marked.split("*")
    text = "".join(f"\x02{piece}\x03" if index % 2 else piece for index, piece in enumerate(pieces))
    message_id = f"m{number}" if message == "" else message
    return Candidate(number, message_id, int(NOW_MS - age_days * DAY_MS), text)


def ranked(*candidates: Candidate, terms: tuple[Term, ...] = (DOG, CALLED), passages: int = 100) -> list[Ranked]:
    return rank(candidates, terms, passages=passages, now_ms=NOW_MS, limit=10)


def ids(found: list[Ranked]) -> list[int]:
    return [one.candidate.passage_id for one in found]


def test_a_passage_with_more_of_what_is_asked_comes_first() -> None:
    assert ids(ranked(candidate(1, "a *dog* here"), candidate(2, "a *dog* *called* x"))) == [2, 1]


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    common = [candidate(number, "some *dog* here") for number in range(10, 40)]
    found = ranked(candidate(1, "he *called* x"), *common)
    assert found[0].candidate.passage_id == 1


def test_a_stemmed_word_counts_for_the_term_with_which_it_begins() -> None:
    one = ranked(candidate(1, "many *dogs* *calling* here"))
    assert one[0].keyword == ranked(candidate(1, "many *dog* *called* here"))[0].keyword


def test_the_newer_of_two_equals_comes_first() -> None:
    assert ids(ranked(candidate(1, "old *dog*", age_days=30), candidate(2, "new *dog*", age_days=2))) == [2, 1]


def test_recency_does_not_outweigh_relevance() -> None:
    old_and_right = candidate(1, "*dog* *called* x", age_days=900)
    assert ids(ranked(old_and_right, candidate(2, "a *dog* here", age_days=0))) == [1, 2]


def test_a_passage_with_too_little_of_what_is_asked_is_not_answered() -> None:
    asked = (DOG, *(Term((f"word{number}",)) for number in range(9)))
    assert ranked(candidate(1, "only a *dog* here"), terms=asked, passages=3) == []


def test_one_word_of_a_short_question_is_enough() -> None:
    assert ids(ranked(candidate(1, "only a *dog* here"), passages=1)) == [1]


def test_passages_of_one_message_come_once_as_the_best_of_them() -> None:
    found = ranked(candidate(1, "a *dog*", message="m"), candidate(2, "*dog* *called* x", message="m"))
    assert ids(found) == [2]


def test_passages_of_one_document_each_count() -> None:
    found = ranked(candidate(1, "a *dog*", message=None), candidate(2, "*dog* *called* x", message=None))
    assert ids(found) == [2, 1]


def test_the_same_words_come_once_and_are_counted() -> None:
    found = ranked(candidate(1, "a *dog*"), candidate(2, "a *dog*"), candidate(3, "that *dog*"))
    assert sorted((one.candidate.passage_id, one.copies) for one in found) == [(2, 2), (3, 1)]


@pytest.mark.parametrize("limit", [1, 2])
def test_the_limit_is_kept(limit: int) -> None:
    many = [candidate(number, f"*dog* w{number}") for number in range(5)]
    assert len(rank(many, (DOG,), passages=5, now_ms=NOW_MS, limit=limit)) == limit


def test_a_time_ahead_of_our_clock_is_now() -> None:
    (one,) = ranked(candidate(1, "*dog* *called*", age_days=-5))
    assert one.recency == 1


@given(
    marked=st.lists(st.sampled_from(["*dog*", "*rex*", "*called*", "x", "y"]), min_size=1, max_size=30),
    passages=st.integers(min_value=0, max_value=10**7),
)
def test_scores_lie_between_0_and_1(marked: list[str], passages: int) -> None:
    for one in ranked(candidate(1, " ".join(marked)), terms=(DOG, CALLED, REX), passages=passages):
        assert 0 <= one.keyword <= 1
        assert 0 <= one.score <= 1


def test_pairs_of_characters_that_nobody_wrote_weigh_little_and_two_of_them_are_a_word() -> None:
    pairs = tuple(Term((pair,)) for pair in ("家賃", "賃は", "はい", "いく", "くら", "らで"))
    words = tuple(Term((word,)) for word in ("家賃", "b", "c", "d", "e", "f"))
    rent = candidate(1, "*家賃* 万円")
    assert ids(ranked(rent, terms=pairs, passages=40)) == [1]
    assert ids(ranked(rent, terms=words, passages=40)) == []
