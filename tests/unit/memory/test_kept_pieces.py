"""What is kept of a memory's word pieces: all, what was read so far, or none."""

from __future__ import annotations

import numpy as np

from beaver.memory.embedding.packing import measured, measured_bytes, pack_piece_ids, pack_pieces, pack_vector
from beaver.memory.retrieval.index.kept_pieces import READ_BESIDE, KeptPieces


def test_what_was_read_is_kept_once() -> None:
    kept = KeptPieces()
    kept.expect([1, 2], 8)
    kept.keep(kept.to_read([]), {1: b"1111", 2: b"2222"})
    before = kept.bytes
    kept.keep(kept.to_read([]), {2: b"2222"})
    assert kept.of([2, 3, 1]) == {2: b"2222", 1: b"1111"}
    assert kept.bytes == before > 8


def test_a_memory_whose_pieces_do_not_fit_keeps_none() -> None:
    kept = KeptPieces(bytes_max=1000)
    kept.expect([1, 2], 600)
    kept.keep(kept.to_read([]), {1: b"1" * 300, 2: b"2" * 300})
    assert len(kept.of([1, 2])) == 2
    kept.expect([3], 200)
    assert (kept.fit, kept.of([1, 2]), kept.bytes) == (False, {}, 0)
    kept.keep(kept.to_read([]), {1: b"1" * 300})
    assert kept.of([1]) == {}


def test_a_search_reads_what_it_lacks_and_some_that_nobody_read_yet() -> None:
    kept = KeptPieces()
    kept.expect(range(READ_BESIDE + 10), 100)
    assert sorted(kept.to_read([3]).passage_ids) == [3, *range(10, READ_BESIDE + 10)]
    assert sorted(kept.to_read([3]).passage_ids) == list(range(10))
    assert kept.to_read([3]).passage_ids == [3]


def test_of_a_memory_that_does_not_fit_only_what_is_lacking_is_read() -> None:
    kept = KeptPieces(bytes_max=10)
    kept.expect([1, 2, 3], 100)
    assert kept.to_read([2]).passage_ids == [2]


def test_a_passage_whose_pieces_were_not_there_has_none_until_it_has_new_vectors() -> None:
    kept = KeptPieces()
    kept.expect([1, 2], 8)
    kept.keep(kept.to_read([1]), {2: b"2222"})
    assert kept.of([1, 2]) == {1: b"", 2: b"2222"}
    before = kept.bytes
    kept.expect([1], 4)
    assert kept.of([1, 2]) == {2: b"2222"}
    kept.keep(kept.to_read([1]), {1: b"1111"})
    assert (kept.of([1]), kept.bytes) == ({1: b"1111"}, before + 4)


def test_who_looked_before_new_vectors_came_knows_nothing_of_what_is_not_there() -> None:
    kept = KeptPieces()
    kept.expect([1, 2], 8)
    reading = kept.to_read([1])
    kept.expect([1], 4)
    kept.keep(reading, {2: b"2222"})
    assert kept.of([1, 2]) == {2: b"2222"}


def test_what_was_let_go_is_kept_again_when_it_is_read_again() -> None:
    kept = KeptPieces()
    kept.expect([1], 4)
    kept.keep(kept.to_read([]), {1: b"1111"})
    kept.clear()
    assert (kept.of([1]), kept.bytes) == ({}, 0)
    kept.keep(kept.to_read([]), {1: b"1111"})
    assert kept.of([1]) == {1: b"1111"}


def test_the_bytes_of_pieces_are_known_before_they_are_read() -> None:
    pieces = np.ones((3, 16), np.float32)
    numbers, vector = pack_piece_ids(np.arange(3, dtype=np.int32)), pack_vector(pieces[0])
    [read] = measured([pack_pieces(pieces)], 16)
    assert measured_bytes(len(numbers), len(vector)) == len(read)


def test_a_memory_of_ten_thousand_messages_fits() -> None:
    a_message = 17 * (384 // 2 + 4)  # pieces with a meaning, as English messages of twenty words have them
    kept = KeptPieces()
    kept.expect(range(10_000), 10_000 * a_message)
    assert kept.fit
