"""A namespace's passages as columns, as a search sees them; never changed once made, so that threads may read it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beaver.memory.embedding.packing import products_with
from beaver.memory.retrieval.index.index_store import MESSAGE
from beaver.memory.retrieval.index.piece_counts import PieceCounts
from beaver.memory.retrieval.index.postings import Postings
from beaver.memory.retrieval.stems import stems_of
from beaver.memory.retrieval.words import index_text

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NONE: Final = -1
"""No conversation, no speaker, no passage."""
SEGMENT_BYTES: Final = 400
_LONG: Final = 100
_NOUNS_MAX: Final = 3


@dataclass(frozen=True)
class Snapshot:
    """The passages of a namespace, a row each, in the order of their ids.

    A segment is an episode of a conversation, a document, or one observation or summary; `previous` is the row before in the
    segment. `days` (m, 2) are the first and last days that the passages in `days_row` (m,) name. `vectors` are int8, times
    their row's scale; a scale of 0 is a passage without vectors yet. `piece_counts`: in how many of them each word piece
    stands; `speakers`: the names by which `speaker` counts. So many rows are `retired`: their passages are gone, and with them
    whole segments, so many of which are `vacated`. Such a row has expired, no stems and no length, and counts for nothing.
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
    piece_counts: PieceCounts
    speakers: tuple[str, ...]
    retired: int = 0
    vacated: int = 0

    @property
    def rows(self) -> int:
        """How many passages there are, with those that are gone."""
        return len(self.ids)

    @property
    def passages(self) -> int:
        """How many there are."""
        return self.rows - self.retired

    @property
    def inhabited(self) -> int:
        """How many segments have passages."""
        return self.segments - self.vacated

    @property
    def bytes(self) -> int:
        """What it takes in memory, with what is worked out of it on demand and a segment's places in its making."""
        columns = sum(column.nbytes for column in vars(self).values() if isinstance(column, np.ndarray))
        on_demand = 9 * self.ids.nbytes
        return columns + on_demand + self.postings.bytes + self.piece_counts.nbytes + SEGMENT_BYTES * self.segments

    @cached_property
    def following(self) -> Ints:
        """The row after in the segment."""
        following = np.full(self.rows, NONE)
        with_previous = np.flatnonzero(self.previous != NONE)
        following[self.previous[with_previous]] = with_previous
        return following

    @cached_property
    def relative_lengths(self) -> Floats:
        """The stems of each row, as a share of the mean."""
        return _to_mean(self.length.astype(np.float64), self.passages)

    @cached_property
    def relative_windows(self) -> Floats:
        """The stems of each row and the three before and after it, as a share of the mean."""
        return _to_mean(self.around(self.length.astype(np.float64), 3), self.passages)

    @cached_property
    def relative_segments(self) -> Floats:
        """The stems of each segment, as a share of the mean."""
        lengths = np.bincount(self.segment, self.length, self.segments).astype(np.float64)
        return _to_mean(lengths, self.inhabited)

    @cached_property
    def length_score(self) -> Floats:
        """How long each row is, from 0 to about 1: from a hundred stems on it tells no more."""
        return np.asarray(np.log1p(np.minimum(self.length, _LONG)) / 4)

    @cached_property
    def speaker_stems(self) -> tuple[frozenset[int], ...]:
        """The stems of each speaker's name."""
        return tuple(frozenset(stems_of(index_text(speaker))) for speaker in self.speakers)

    @cached_property
    def speaking(self) -> frozenset[int]:
        """The stems of all speakers' names."""
        return frozenset().union(*self.speaker_stems)

    @cached_property
    def naming_score(self) -> Floats:
        """How many proper nouns each row has, up to three, as a share; to name a speaker tells nothing."""
        telling = self.nouns_row[~np.isin(self.nouns, np.array(sorted(self.speaking), np.uint32))]
        counts = np.bincount(telling, minlength=self.rows)
        return np.asarray(np.minimum(counts, _NOUNS_MAX) / _NOUNS_MAX)

    @cached_property
    def by_segment(self) -> Ints:
        """The rows, those of one segment one after the other, in the order of the segments' numbers."""
        return np.argsort(self.segment, kind="stable")

    @cached_property
    def segment_starts(self) -> Ints:
        """Where in `by_segment` each segment begins; no segment is empty."""
        sizes = np.bincount(self.segment, minlength=self.segments)
        return np.cumsum(sizes) - sizes

    @cached_property
    def days_observed(self) -> Ints:
        """The UTC day on which each was said, from 1 January 1970."""
        return self.observed_ms // 86_400_000

    @cached_property
    def is_message(self) -> Bools:
        """Which rows are (parts of) messages."""
        return np.asarray(self.source == MESSAGE)

    @cached_property
    def firsts(self) -> Ints:
        """The rows that have none before them in their segment."""
        return np.flatnonzero(self.previous == NONE)

    @cached_property
    def lasts(self) -> Ints:
        """The rows that have none after them in their segment."""
        return np.flatnonzero(self.following == NONE)

    def before(self, values: Floats, otherwise: float = 0.0) -> Floats:
        """Each row's predecessor's value."""
        found = values[self.previous]  # NONE is the last row's place: what it brings is written over
        found[self.firsts] = otherwise
        return found

    def after(self, values: Floats, otherwise: float = 0.0) -> Floats:
        """Each row's successor's value."""
        found = values[self.following]
        found[self.lasts] = otherwise
        return found

    def around(self, values: Floats, reach: int) -> Floats:
        """The sum over each row and its `reach` predecessors and successors."""
        total, back, forth = values.copy(), values, values
        for _ in range(reach):
            back, forth = self.before(back), self.after(forth)
            total += back + forth
        return total

    def cosines(self, vector: NDArray[np.float32]) -> Floats:
        """The cosine of each passage's vector with one of length 1; NaN for a passage without."""
        known: Any = self.scales > 0
        return np.where(known, products_with(vector, self.vectors) * self.scales, np.nan)


def _to_mean(lengths: Floats, count: int) -> Floats:
    """As shares of the mean of so many; the others are 0."""
    return lengths / max(1.0, float(lengths.sum()) / max(1, count))
