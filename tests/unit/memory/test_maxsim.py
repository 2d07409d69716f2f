"""Late interaction: a question's pieces are met in a passage or near it, and rare pieces count for more."""

from __future__ import annotations

import numpy as np
import pytest

from beaver.memory.embedding.packing import measured, pack_piece_ids, pack_pieces, pack_vector
from beaver.memory.inference.port import Encoded
from beaver.memory.retrieval.index.growing import Growing
from beaver.memory.retrieval.index.index_store import MESSAGE, PassageRow, VectorRow
from beaver.memory.retrieval.index.snapshot import Snapshot
from beaver.memory.retrieval.order import maxsim
from beaver.memory.retrieval.order.features import Features
from beaver.memory.retrieval.signature import sign

NOW_MS = 1_684_300_000_000
DIMENSIONS = 8
EVERY = np.eye(DIMENSIONS, dtype=np.float32)
"""Word pieces that have nothing in common: piece n points in the direction of dimension n."""


def memory(*passages: tuple[int, ...], episodes: tuple[int, ...] = ()) -> Snapshot:
    """Passages of these pieces, one after the other in an episode; one without pieces has no vectors yet."""
    growing = Growing(frozenset({"ada"}))
    signature = sign("word", NOW_MS)
    episode = episodes or (0,) * len(passages)
    growing.add_passages(
        [
            PassageRow(number + 1, 1, None, MESSAGE, episode[number], NOW_MS, signature, "ada", None)
            for number in range(len(passages))
        ]
    )
    vector = pack_vector(np.ones(DIMENSIONS, np.float32))
    growing.add_vectors(
        [
            VectorRow(number + 1, number + 1, vector, pack_piece_ids(np.array(pieces, np.int32)))
            for number, pieces in enumerate(passages)
            if pieces
        ]
    )
    return growing.snapshot


def question(*pieces: int, common: tuple[int, ...] = ()) -> Encoded:
    """A question of these pieces, of which the `common` carry no meaning of their own."""
    numbers = np.array(pieces, np.int32)
    return Encoded(EVERY[0], EVERY[numbers], numbers, ~np.isin(numbers, common))


def stored(*pieces: int) -> bytes:
    """A passage of these pieces."""
    [one] = measured([pack_pieces(EVERY[list(pieces)])], DIMENSIONS)
    return one


def features(asked: Encoded, *passages: tuple[int, ...], episodes: tuple[int, ...] = ()) -> Features:
    """Of every passage; what has no pieces stands in with nothing."""
    snapshot, rows = memory(*passages, episodes=episodes), np.arange(len(passages))
    read = [number for number, pieces in enumerate(passages) if pieces]
    pieces = [stored(*passages[number]) for number in read]
    best = maxsim.meet(np.array(read, np.int64), pieces, asked)
    return maxsim.piece_features(snapshot, rows, best, asked, np.zeros(len(passages)))


def test_a_passage_is_met_as_well_as_the_best_of_its_pieces() -> None:
    best = maxsim.meet(np.array([0, 1]), [stored(1, 2), stored(3)], question(1, 3))
    np.testing.assert_allclose(best.met, [[1, 0], [0, 1]], atol=1e-6)


def test_many_passages_are_met_as_each_alone() -> None:
    asked = question(1, 3, 5)
    pieces = [stored(number % DIMENSIONS, number % 3) for number in range(2 * maxsim.PASSAGES_AT_ONCE + 1)]
    together = maxsim.meet(np.arange(len(pieces)), pieces, asked).met
    alone = [maxsim.meet(np.array([0]), [one], asked).met[0] for one in pieces]
    np.testing.assert_array_equal(together, alone)


def test_what_a_passage_leaves_unmet_its_neighbours_may_meet() -> None:
    found = features(question(1, 2), (1,), (2,), (3,), (4,), (5,))
    assert found["pieces_window"].tolist() == pytest.approx([1, 1, 0.5, 0, 0], abs=1e-6)
    assert found["pieces_around"].tolist() == pytest.approx([1, 1, 1, 0.5, 0], abs=1e-6)
    assert found["pieces"][2:].tolist() == pytest.approx([0, 0, 0], abs=1e-6)


def test_a_neighbour_of_another_episode_meets_nothing() -> None:
    found = features(question(1, 2), (1,), (2,), (3,), episodes=(0, 1, 2))
    assert found["pieces_around"].tolist() == found["pieces"].tolist()


def test_a_rare_piece_counts_for_more_than_one_that_many_passages_hold() -> None:
    raw = features(question(1, 2), (1,), (2,), (2,), (2,))["pieces_raw"]
    assert raw[0] > raw[1] > 0


def test_a_piece_without_meaning_is_no_rarity_though_no_passage_keeps_it() -> None:
    """Of what and did no passage stores a piece, so their count is 0; they would else weigh most of all."""
    raw = features(question(1, 6, common=(6,)), *[(1,)] * 2, *[(3,)] * 18)["pieces_raw"]
    assert raw[0] > 0.5


def test_meaning_alone_is_counted_apart() -> None:
    found = features(question(1, 6, common=(6,)), (1,), (6,), (3,))
    assert found["pieces_content"].argmax() == 0
    assert found["pieces_content"][1] == pytest.approx(0, abs=1e-6)


def test_a_passage_without_vectors_yet_is_taken_as_a_usual_one() -> None:
    found = features(question(1), (1,), (), (3,), episodes=(0, 1, 2))
    assert found["pieces"].tolist() == pytest.approx([1, 0.5, 0], abs=1e-6)
    assert found["pieces_raw"][1] == pytest.approx(0.5, abs=1e-6)


def test_what_is_read_are_the_rows_and_two_neighbours_on_either_side_that_have_vectors() -> None:
    snapshot = memory((1,), (1,), (), (1,), (1,), (1,), (1,), episodes=(0, 0, 0, 0, 0, 0, 1))
    assert maxsim.rows_to_read(snapshot, np.array([3])).tolist() == [1, 3, 4, 5]
    assert maxsim.rows_to_read(snapshot, np.array([6, 0])).tolist() == [0, 1, 6]
