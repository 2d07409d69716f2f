"""Scoring a snapshot: windows, speakers, dates and vectors decide as they should, and no prior makes a passage relevant."""

from __future__ import annotations

import numpy as np
import pytest

from beaver.memory.embedding.packing import measured, pack_pieces, pack_vector
from beaver.memory.inference.port import Encoded
from beaver.memory.retrieval.asking.asked import read_question
from beaver.memory.retrieval.asking.query import ForTerms, plan_query
from beaver.memory.retrieval.index.growing import Growing
from beaver.memory.retrieval.index.index_store import MESSAGE, PassageRow, VectorRow
from beaver.memory.retrieval.order import scoring
from beaver.memory.retrieval.signature import sign

NOW_MS = 1_684_300_000_000
DAY_MS = 86_400_000


def memory(*said: tuple[str, str] | str, episodes: tuple[int, ...] = (), days_ago: tuple[int, ...] = ()) -> Growing:
    """Messages of one conversation, each a text or (speaker, text); all of one episode and of now, unless told."""
    growing = Growing(frozenset({"ada", "beaver"}))
    rows = []
    for number, each in enumerate(said):
        speaker, text = ("ada", each) if isinstance(each, str) else each
        at_ms = NOW_MS - DAY_MS * (days_ago[number] if days_ago else 0)
        episode = episodes[number] if episodes else 0
        rows.append(PassageRow(number + 1, 1, None, MESSAGE, episode, at_ms, sign(text, at_ms), speaker, None))
    growing.add_passages(rows)
    return growing


def found(growing: Growing, question: str, encoded: Encoded | None = None) -> list[int]:
    """Places of what is found, best first."""
    snapshot, plan = growing.snapshot, plan_query(question)
    assert isinstance(plan, ForTerms)
    asked = read_question(question, plan.terms, snapshot.speaker_stems, NOW_MS)
    matched = scoring.match(snapshot, asked, np.ones(snapshot.rows, bool))
    return [int(row) for row in scoring.rank(snapshot, matched, encoded, NOW_MS).rows]


def test_the_passage_that_holds_the_words_comes_first() -> None:
    assert found(memory("the weather", "a violin in Porto", "a dog in the park"), "violin Porto")[0] == 1


def test_what_has_nothing_to_do_with_a_question_is_not_found_whatever_its_form() -> None:
    telling = "In May 2023 we met Anna, Berta and Carl, 12 of them, in Paris"
    assert found(memory(telling), "mitochondria?") == []


def test_a_neighbour_in_the_same_episode_is_found_and_one_of_another_is_not() -> None:
    said = ("What is your violin teacher called?", "Petra, and she is kind", "Nice weather")
    assert set(found(memory(*said, episodes=(0, 0, 1)), "violin teacher")) == {0, 1}


def test_who_is_named_alone_is_who_said_it() -> None:
    growing = memory(("Anna", "I bought a violin"), ("Berta", "I bought a violin"))
    assert found(growing, "What did Berta buy, a violin?")[0] == 1
    assert found(growing, "What did Anna buy, a violin?")[0] == 0


def test_a_day_that_a_question_names_finds_what_was_said_then() -> None:
    growing = memory(
        "we painted walls", "we painted doors", "we painted chairs", days_ago=(100, 8, 400), episodes=(0, 1, 2)
    )
    assert found(growing, "what was painted last week?")[0] == 1


def test_the_newer_of_two_equals_comes_first() -> None:
    assert found(memory("office code 1", "office code 2", days_ago=(90, 0), episodes=(0, 1)), "office code") == [1, 0]


def test_a_vector_finds_what_no_word_does() -> None:
    growing = memory("I adore my puppy", "the tax office", episodes=(0, 1))
    near, far = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    growing.add_vectors([VectorRow(1, 1, pack_vector(near), None), VectorRow(2, 2, pack_vector(far), None)])
    assert found(growing, "pets", Encoded(near)) == [0]
    assert found(growing, "pets") == []


def test_a_snapshot_does_not_change_when_more_comes() -> None:
    growing = memory("a dog")
    before = growing.snapshot
    growing.add_passages([PassageRow(2, 1, None, MESSAGE, 0, NOW_MS, sign("a dog", NOW_MS), "ada", None)])
    assert before.rows == 1
    assert before.following.tolist() == [-1]
    assert growing.snapshot.following.tolist() == [1, -1]


def by_pieces(
    growing: Growing, question: str, encoded: Encoded, stored: dict[int, bytes], best: int = 100
) -> scoring.Ranked:
    """As `found`, and then the `best` by the word pieces that are stored."""
    snapshot, plan = growing.snapshot, plan_query(question)
    assert isinstance(plan, ForTerms)
    asked = read_question(question, plan.terms, snapshot.speaker_stems, NOW_MS)
    ranked = scoring.rank(snapshot, scoring.match(snapshot, asked, np.ones(snapshot.rows, bool)), encoded, NOW_MS)
    return scoring.rank_by_pieces(snapshot, ranked, ranked.rows[:best], encoded, stored, NOW_MS)


def alike(count: int) -> tuple[Growing, Encoded, list[bytes]]:
    """Passages of one wording, each an episode, the older the further back; and pieces: like the question, and unlike it."""
    growing = memory(*["a violin"] * count, episodes=tuple(range(count)), days_ago=tuple(range(count)))
    near, far = np.eye(2, dtype=np.float32)
    growing.add_vectors([VectorRow(each, each, pack_vector(near), None) for each in range(1, count + 1)])
    question = Encoded(near, near[None], np.array([7], np.int32), np.array([True]))
    return growing, question, measured([pack_pieces(near[None]), pack_pieces(far[None])], 2)


def test_word_pieces_decide_between_passages_that_are_alike_otherwise() -> None:
    growing, question, (like, unlike) = alike(3)
    assert by_pieces(growing, "violin", question, {1: unlike, 2: unlike, 3: like}).rows.tolist() == [2, 0, 1]


def test_without_stored_pieces_the_order_stays() -> None:
    growing, question, _ = alike(3)
    assert by_pieces(growing, "violin", question, {}).rows.tolist() == [0, 1, 2]


def test_those_whose_pieces_are_not_read_stay_behind_those_whose_are() -> None:
    growing, question, (like, unlike) = alike(5)
    ranked = by_pieces(growing, "violin", question, {1: unlike, 2: like}, best=2)
    assert ranked.rows.tolist() == [1, 0, 2, 3, 4]
    assert ranked.totals.tolist() == sorted(ranked.totals, reverse=True)


@pytest.mark.parametrize(("limit", "looked_at"), [(1, 41), (10, 50), (20, 80), (25, 100), (500, 100)])
def test_a_longer_answer_looks_at_the_pieces_of_more(limit: int, looked_at: int) -> None:
    growing, question, (like, _) = alike(120)
    ranked = by_pieces(growing, "violin", question, {1: like})
    assert len(scoring.rows_by_pieces(ranked, limit)) == looked_at
