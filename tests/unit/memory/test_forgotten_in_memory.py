"""Nothing of what a retired passage said stays in an index in memory: no stem, noun, day, word piece or vector."""

from __future__ import annotations

import random

import numpy as np
import pytest

from beaver.memory.embedding.packing import pack_piece_ids, pack_vector
from beaver.memory.retrieval.index.growing import Growing
from beaver.memory.retrieval.index.index_store import DOCUMENT, OBSERVATION, SUMMARY, PassageRow, VectorRow
from beaver.memory.retrieval.index.kept_pieces import KeptPieces, Reading
from beaver.memory.retrieval.signature import read_signatures, sign
from tests.support.traces import are_held, is_held
from tests.unit.memory.test_growing import NOW_MS, passages

DIMENSIONS = 64
SECRET = "Meet Zanzibara in Quorvath on 3 May 2031, tomorrow?"
PIECES = (27_001, 27_002, 27_003)


def secret(passage_id: int, source: int) -> PassageRow:
    document_id = "secret" if source == DOCUMENT else None
    return PassageRow(passage_id, None, document_id, source, None, NOW_MS, sign(SECRET, NOW_MS), None, None)


def vector(seed: int) -> bytes:
    return pack_vector(np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32))


def grown(source: int, *, at_the_end: bool) -> tuple[Growing, int]:
    """An index that holds the secret as its last or among others; the secret's id."""
    rows = passages(60, random.Random(3))
    place = 60 if at_the_end else 30
    rows = [*rows[:place], secret(3 * place - 1, source), *rows[place:]]
    growing = Growing(frozenset())
    for start in range(0, len(rows), 7):
        growing.add_passages(rows[start : start + 7])
    pieces = pack_piece_ids(np.array(PIECES, np.int32))
    for number, row in enumerate(rows):
        own = pieces if row.id == 3 * place - 1 else pack_piece_ids(np.array([number, 5], np.int32))
        growing.add_vectors([VectorRow(number + 1, row.id, vector(number), own)])
    return growing, 3 * place - 1


@pytest.mark.parametrize("at_the_end", [False, True])
@pytest.mark.parametrize("source", [DOCUMENT, OBSERVATION, SUMMARY])
def test_nothing_of_what_it_said_can_be_reached(source: int, at_the_end: bool) -> None:
    growing, passage_id = grown(source, at_the_end=at_the_end)
    row = int(np.searchsorted(growing.snapshot.ids, passage_id))
    signed, said_elsewhere = read_signatures([sign(SECRET, NOW_MS)]), read_signatures([sign("in on", NOW_MS)])
    telling = {*signed.stems.tolist(), *signed.nouns.tolist()} - {*said_elsewhere.stems.tolist()}
    telling = {each for each in telling if each > 1_000}  # a stem's number; below that a row's may be the same
    days = {int(day) for day in signed.days.ravel()}
    packed = growing.snapshot.vectors[row].tobytes()
    assert all(is_held(growing, each) for each in (*telling, *days, *PIECES))
    assert are_held(growing, packed)

    growing.retire([passage_id])

    left = [each for each in (*telling, *days, *PIECES) if is_held(growing, each)]
    assert (left, are_held(growing, packed), growing.snapshot.flags[row]) == ([], False, 0)
    assert not are_held(growing, pack_piece_ids(np.array(PIECES, np.int32)))


def test_what_a_search_under_way_has_read_of_it_is_not_kept() -> None:
    kept = KeptPieces()
    kept.expect([7, 8], 200)
    reading = kept.to_read([7])
    kept.drop([7])
    kept.keep(Reading(reading.passage_ids, reading.as_of), {7: b"secret", 8: b"other"})
    assert kept.of([7, 8]) == {8: b"other"}
    assert not are_held(kept, b"secret")
