"""A namespace's passages as columns, as a search sees them; never changed once made, so that threads may read it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beaver.memory.retrieval.index_store import MESSAGE
from beaver.memory.retrieval.postings import Postings

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NONE: Final = -1
"""No conversation, no speaker, no passage."""
ROWS_AT_ONCE: Final = 4096


@dataclass(frozen=True)
class Snapshot:
    """The passages of a namespace, a row each, in the order of their ids.

    A segment is an episode of a conversation, a document, or one observation or summary; `previous` is the row before in the
    segment. `days` (m, 2) are the first and last days that the passages in `days_row` (m,) name. `vectors` are int8, times
    their row's scale; a scale of 0 is a passage without vectors yet. `piece_counts` tells in how many passages each word
    piece stands, of `pieces_of` passages; `names` are stems of the speakers' names.
    """

    ids: Ints
    conversation: Ints
    source: NDArray[np.uint8]
    speaker: NDArray[np.int32]
    observed_ms: Ints
    expires_ms: Ints
    flags: NDArray[np.uint8]
    segment: Ints
    segments: int
    previous: Ints
    place: Ints
    length: Ints
    postings: Postings
    nouns: NDArray[np.uint32]
    nouns_row: Ints
    days: NDArray[np.int32]
    days_row: Ints
    vectors: NDArray[np.int8]
    scales: NDArray[np.float32]
    piece_counts: Ints
    pieces_of: int
    speakers: tuple[str, ...]

    @property
    def rows(self) -> int:
        """How many passages there are."""
        return len(self.ids)

    @property
    def bytes(self) -> int:
        """What it takes in memory."""
        columns = (self.ids, self.segment, self.place, self.previous, self.length, self.conversation, self.observed_ms)
        return self.vectors.nbytes + self.postings.bytes + 2 * sum(column.nbytes for column in columns)

    @cached_property
    def following(self) -> Ints:
        """The row after in the segment."""
        following = np.full(self.rows, NONE)
        with_previous = np.flatnonzero(self.previous != NONE)
        following[self.previous[with_previous]] = with_previous
        return following

    @cached_property
    def window_lengths(self) -> Floats:
        """The stems of each row and the three before and after it."""
        return self.around(self.length.astype(np.float64), 3)

    @cached_property
    def segment_lengths(self) -> Floats:
        """The stems of each segment."""
        return np.bincount(self.segment, self.length, self.segments).astype(np.float64)

    @cached_property
    def days_observed(self) -> Ints:
        """The UTC day on which each was said, from 1 January 1970."""
        return self.observed_ms // 86_400_000

    @cached_property
    def is_message(self) -> Bools:
        """Which rows are (parts of) messages."""
        return np.asarray(self.source == MESSAGE)

    def before(self, values: Floats, otherwise: float = 0.0) -> Floats:
        """Each row's predecessor's value."""
        return np.where(self.previous == NONE, otherwise, values[self.previous])

    def after(self, values: Floats, otherwise: float = 0.0) -> Floats:
        """Each row's successor's value."""
        return np.where(self.following == NONE, otherwise, values[self.following])

    def around(self, values: Floats, reach: int) -> Floats:
        """The sum over each row and its `reach` predecessors and successors."""
        total, back, forth = values.copy(), values, values
        for _ in range(reach):
            back, forth = self.before(back), self.after(forth)
            total += back + forth
        return total

    def cosines(self, vector: NDArray[np.float32]) -> Floats:
        """The cosine of each passage's vector with one of length 1; NaN for a passage without."""
        found = np.empty(self.rows)
        for start in range(0, self.rows, ROWS_AT_ONCE):
            part = slice(start, start + ROWS_AT_ONCE)
            found[part] = self.vectors[part].astype(np.float32) @ vector
        known: Any = self.scales > 0
        return np.where(known, found * self.scales, np.nan)
