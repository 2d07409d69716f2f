"""A namespace's snapshot: the same however it grew, and what it tells of a row's surroundings."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
import pytest

from beaver.memory.embedding.packing import pack_piece_ids, pack_vector
from beaver.memory.retrieval.index.columns import Column
from beaver.memory.retrieval.index.growing import Growing
from beaver.memory.retrieval.index.index_store import DOCUMENT, MESSAGE, OBSERVATION, PassageRow, VectorRow
from beaver.memory.retrieval.index.piece_counts import PieceCounts
from beaver.memory.retrieval.index.snapshot import NONE, Snapshot
from beaver.memory.retrieval.signature import sign
from beaver.memory.retrieval.stems import stem_of

NOW_MS: Final = 1_684_300_000_000
WORDS: Final = ("harbour", "lantern", "violin", "Anna", "May", "yesterday", "two", "bridge", "garden?")


def passages(count: int, drawn: random.Random) -> list[PassageRow]:
    """Messages of three conversations, mixed with a document's parts and observations; ids have gaps."""
    rows = []
    for number in range(count):
        source = drawn.choice((MESSAGE, MESSAGE, MESSAGE, DOCUMENT, OBSERVATION))
        said = source == MESSAGE
        signature = sign(" ".join(drawn.choices(WORDS, k=6)), NOW_MS)
        rows.append(
            PassageRow(
                3 * number + 1,
                drawn.randrange(3) if said else None,
                "guide" if source == DOCUMENT else None,
                source,
                number // 20 if said else None,
                NOW_MS + number,
                signature,
                drawn.choice(("Anna", "Boris", "ada")) if said else None,
                None,
            )
        )
    return rows


def vectors(rows: Sequence[PassageRow], drawn: random.Random) -> list[VectorRow]:
    def vector() -> bytes:
        return pack_vector(np.array([drawn.gauss(0, 1) for _ in range(4)], np.float32))

    def pieces() -> bytes:
        return pack_piece_ids(np.array(drawn.choices(range(30), k=5), np.int32))

    return [VectorRow(number, row.id, vector(), pieces()) for number, row in enumerate(rows, 1)]


def at_once(rows: Sequence[PassageRow], embedded: Sequence[VectorRow]) -> Snapshot:
    growing = Growing(frozenset({"ada"}))
    growing.add_passages(rows)
    growing.add_vectors(embedded)
    return growing.snapshot


def by_and_by(rows: Sequence[PassageRow], embedded: Sequence[VectorRow], drawn: random.Random) -> Snapshot:
    """Some passages, then the vectors of some that have none, and so on."""
    growing, left = Growing(frozenset({"ada"})), list(embedded)
    start = 0
    while start < len(rows):
        end = start + drawn.randint(1, 9)
        growing.add_passages(rows[start:end])
        last_id, start = rows[min(end, len(rows)) - 1].id, end
        ready = [row for row in left if row.passage_id <= last_id][: drawn.randint(0, 9)]
        growing.add_vectors(ready)
        left = [row for row in left if row not in ready]
    growing.add_vectors(left)
    return growing.snapshot


@pytest.fixture
def grown() -> Snapshot:
    drawn = random.Random(4)
    rows = passages(90, drawn)
    return by_and_by(rows, vectors(rows, drawn), drawn)


@pytest.mark.parametrize("seed", range(5))
def test_a_memory_that_grew_by_and_by_is_as_one_that_was_read_at_once(seed: int) -> None:
    drawn = random.Random(seed)
    rows = passages(90, drawn)
    embedded = vectors(rows, drawn)
    whole, grown = at_once(rows, embedded), by_and_by(rows, embedded, drawn)
    for name, column in vars(whole).items():
        if isinstance(column, np.ndarray):
            assert np.array_equal(column, getattr(grown, name)), name
    assert (whole.segments, whole.speakers) == (grown.segments, grown.speakers)
    assert grown.piece_counts.holding(np.arange(40, dtype=np.int32)).tolist() == (
        whole.piece_counts.holding(np.arange(40, dtype=np.int32)).tolist()
    )
    for word in ("harbour", "lantern", "anna", "unheard"):
        stem = stem_of(word) or 0
        assert [part.tolist() for part in grown.postings.of(stem)] == [
            part.tolist() for part in whole.postings.of(stem)
        ]
    assert np.array_equal(grown.cosines(np.ones(4, np.float32)), whole.cosines(np.ones(4, np.float32)))


def test_before_and_after_are_the_neighbours_in_the_segment(grown: Snapshot) -> None:
    values = np.arange(1.0, grown.rows + 1)
    for row in range(grown.rows):
        mine = np.flatnonzero(grown.segment == grown.segment[row]).tolist()
        at = mine.index(row)
        assert grown.before(values)[row] == (values[mine[at - 1]] if at else 0)
        assert grown.after(values)[row] == (values[mine[at + 1]] if at + 1 < len(mine) else 0)
        assert grown.around(values, 2)[row] == sum(values[mine[max(0, at - 2) : at + 3]])


def test_the_rows_of_a_segment_lie_side_by_side_in_the_order_by_segment(grown: Snapshot) -> None:
    bounds = [*grown.segment_starts.tolist(), grown.rows]
    for segment in range(grown.segments):
        rows = grown.by_segment[bounds[segment] : bounds[segment + 1]]
        assert rows.tolist() == np.flatnonzero(grown.segment == segment).tolist()


def test_an_empty_snapshot_has_no_neighbours() -> None:
    empty = Growing(frozenset()).snapshot
    assert (empty.rows, empty.before(np.zeros(0)).tolist(), empty.by_segment.tolist()) == (0, [], [])


def test_a_small_memory_takes_little(grown: Snapshot) -> None:
    assert 0 < grown.bytes < 100_000


def test_a_column_leaves_what_it_gave_out_as_it_was() -> None:
    column = Column(np.int64)
    given = [column.with_more(range(number)) for number in range(60)]
    every = [value for number in range(60) for value in range(number)]
    assert all(part.tolist() == every[: len(part)] for part in given)
    assert len(given[-1]) == len(every)


def test_a_piece_is_counted_once_for_each_passage_that_holds_it() -> None:
    drawn = random.Random(8)
    held = [drawn.choices(range(12), k=drawn.randint(1, 9)) for _ in range(40)]
    packed = [pack_piece_ids(np.array(pieces, np.int32)) for pieces in held]
    counts = PieceCounts.none().with_more(packed[:7]).with_more([]).with_more(packed[7:])
    expected = Counter(piece for pieces in held for piece in set(pieces))
    assert counts.passages == 40
    assert counts.holding(np.arange(14, dtype=np.int32)).tolist() == [expected[piece] for piece in range(14)]
    assert PieceCounts.none().holding(np.array([3], np.int32)).tolist() == [0]


def test_the_first_of_a_segment_has_none_before_it(grown: Snapshot) -> None:
    assert (grown.previous[grown.firsts] == NONE).all()
    assert (grown.following[grown.lasts] == NONE).all()
