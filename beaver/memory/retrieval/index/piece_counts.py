"""In how many passages of a namespace each word piece stands: as many numbers as it has different pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beaver.memory.embedding.packing import unpack_piece_ids


@dataclass(frozen=True)
class PieceCounts:
    """`pieces` rise; `counts` are of the same places; `passages`: of how many."""

    pieces: NDArray[np.int32]
    counts: NDArray[np.int32]
    passages: int

    @classmethod
    def none(cls) -> PieceCounts:
        """Of no passage."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.int32), 0)

    @property
    def nbytes(self) -> int:
        """What it takes in memory."""
        return self.pieces.nbytes + self.counts.nbytes

    def with_more(self, piece_ids: Sequence[bytes]) -> PieceCounts:
        """These and the pieces of more passages, packed."""
        return self._counted(piece_ids, 1)

    def without(self, piece_ids: Sequence[bytes]) -> PieceCounts:
        """As before these passages came."""
        return self._counted(piece_ids, -1)

    def _counted(self, piece_ids: Sequence[bytes], each: int) -> PieceCounts:
        if not piece_ids:
            return self
        numbers, bounds = unpack_piece_ids(piece_ids)
        owners = np.repeat(np.arange(len(piece_ids)), np.diff(bounds))
        # By piece, then by passage: a piece counts once a passage.
        order = np.lexsort((owners, numbers))
        numbers, owners = numbers[order], owners[order]
        again = np.zeros(len(numbers), bool)
        again[1:] = (numbers[1:] == numbers[:-1]) & (owners[1:] == owners[:-1])
        every = np.concatenate([self.pieces, numbers[~again]])
        counted = np.concatenate([self.counts, np.full(len(every) - len(self.pieces), each, np.int32)])
        pieces, places = np.unique(every, return_inverse=True)
        counts = np.bincount(places, counted, len(pieces)).astype(np.int32)
        held = counts > 0
        return PieceCounts(pieces[held], counts[held], self.passages + each * len(piece_ids))

    def holding(self, pieces: NDArray[np.int32]) -> NDArray[np.int64]:
        """How many passages hold each of these."""
        if not len(self.pieces):
            return np.zeros(len(pieces), np.int64)
        at = np.minimum(np.searchsorted(self.pieces, pieces), len(self.pieces) - 1)
        return np.where(self.pieces[at] == pieces, self.counts[at], 0).astype(np.int64)
