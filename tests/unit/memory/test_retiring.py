"""Passages that others replaced: what is left is scored as if they had never been, and older snapshots keep them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from beaver.memory.retrieval.index import postings
from beaver.memory.retrieval.index.growing import GONE_MS, Growing
from beaver.memory.retrieval.index.index_store import DOCUMENT, OBSERVATION
from beaver.memory.retrieval.index.snapshot import Snapshot
from beaver.memory.retrieval.order.lexical import match_words
from beaver.memory.retrieval.stems import stem_of
from tests.unit.memory.test_growing import WORDS, passages, vectors

TERMS = [(stem,) for word in WORDS if (stem := stem_of(word.lower())) is not None]


def scores(snapshot: Snapshot) -> dict[int, list[Any]]:
    """What words tell of each passage that is there."""
    matched = match_words(snapshot, TERMS)
    there = np.flatnonzero(snapshot.expires_ms != GONE_MS)
    columns = [getattr(matched, name)[there] for name in ("passage", "window", "segment", "coverage", "keyword")]
    return {int(snapshot.ids[row]): [column[at] for column in columns] for at, row in enumerate(there)}


@pytest.mark.parametrize("unsorted_min", [4, 8192])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_is_scored_as_if_they_had_never_been(
    monkeypatch: pytest.MonkeyPatch, seed: int, unsorted_min: int
) -> None:
    monkeypatch.setattr(postings, "_UNSORTED_MIN", unsorted_min)
    drawn = random.Random(seed)
    rows = passages(90, drawn)
    gone = [row.id for row in rows if row.source == OBSERVATION and drawn.random() < 0.5]
    left = [row for row in rows if row.id not in gone]
    embedded = vectors(rows, drawn)
    growing, without = Growing(frozenset()), Growing(frozenset())
    growing.add_passages(rows[:60])
    growing.add_vectors([one for one in embedded if one.passage_id <= rows[59].id])
    growing.retire([*gone[::2], 2, 10_000])  # ids that are none are passed over
    growing.add_passages(rows[60:])
    growing.add_vectors([one for one in embedded if one.passage_id > rows[59].id])
    growing.retire(gone)
    without.add_passages(left)
    without.add_vectors([one for one in embedded if one.passage_id not in gone])

    assert len(gone) > 3
    assert (growing.snapshot.retired, growing.snapshot.passages) == (len(gone), len(left))
    expected, found = scores(without.snapshot), scores(growing.snapshot)
    assert found.keys() == expected.keys()
    for each, values in expected.items():
        np.testing.assert_allclose(found[each], values, rtol=1e-12)
    pieces = np.arange(40, dtype=np.int32)
    assert (growing.snapshot.piece_counts.holding(pieces) == without.snapshot.piece_counts.holding(pieces)).all()
    assert growing.snapshot.piece_counts.passages == without.snapshot.piece_counts.passages


@pytest.mark.parametrize("seed", range(4))
def test_a_document_that_is_put_anew_is_scored_as_if_it_had_been_so_from_the_first(seed: int) -> None:
    drawn = random.Random(seed)
    rows = passages(90, drawn)
    before, after = rows[:60], rows[60:]
    gone = [row.id for row in before if row.source == DOCUMENT]
    embedded = vectors(rows, drawn)
    growing, without = Growing(frozenset()), Growing(frozenset())
    growing.add_passages(before)
    growing.add_vectors([one for one in embedded if one.passage_id <= before[-1].id])
    growing.retire(gone)
    growing.add_passages(after)
    growing.add_vectors([one for one in embedded if one.passage_id > before[-1].id])
    without.add_passages([row for row in rows if row.id not in gone])
    without.add_vectors([one for one in embedded if one.passage_id not in gone])

    assert len(gone) > 3
    assert any(row.source == DOCUMENT for row in after)
    assert (growing.snapshot.passages, growing.snapshot.inhabited) == (len(rows) - len(gone), without.snapshot.segments)
    expected, found = scores(without.snapshot), scores(growing.snapshot)
    assert found.keys() == expected.keys()
    for each, values in expected.items():
        np.testing.assert_allclose(found[each], values, rtol=1e-12)
    there = growing.snapshot.expires_ms != GONE_MS
    assert growing.snapshot.place[there].tolist() == without.snapshot.place.tolist()
    pieces = np.arange(40, dtype=np.int32)
    assert (growing.snapshot.piece_counts.holding(pieces) == without.snapshot.piece_counts.holding(pieces)).all()


def test_a_snapshot_in_use_stays_as_it_was() -> None:
    drawn = random.Random(1)
    rows = passages(40, drawn)
    growing = Growing(frozenset())
    growing.add_passages(rows)
    growing.add_vectors(vectors(rows, drawn))
    before, told = growing.snapshot, scores(growing.snapshot)
    growing.retire([row.id for row in rows if row.source == OBSERVATION])
    assert scores(before) == told
    assert before.retired == 0 < growing.snapshot.retired


def test_retiring_what_is_gone_again_changes_nothing() -> None:
    rows = passages(40, random.Random(1))
    growing = Growing(frozenset())
    growing.add_passages(rows)
    gone = [row.id for row in rows if row.source == OBSERVATION]
    growing.retire(gone)
    once = growing.snapshot
    growing.retire(gone)
    assert growing.snapshot is once
