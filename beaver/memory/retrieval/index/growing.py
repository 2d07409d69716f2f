"""Builds snapshots of a namespace's passages, pure: rows and vectors come in, in the order of their ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, Final

import numpy as np

from beaver.memory.embedding.packing import quantised
from beaver.memory.retrieval.index.columns import Column
from beaver.memory.retrieval.index.index_store import DOCUMENT, MESSAGE, OBSERVATION, SUMMARY, PassageRow, VectorRow
from beaver.memory.retrieval.index.piece_counts import PieceCounts
from beaver.memory.retrieval.index.postings import Postings
from beaver.memory.retrieval.index.snapshot import NONE, Snapshot
from beaver.memory.retrieval.signature import read_signatures

NEVER_MS: Final = np.iinfo(np.int64).max
GONE_MS: Final = 0
"""When a passage expired that is not in the memory any more."""
REPLACED: Final = (DOCUMENT, OBSERVATION, SUMMARY)
"""Sources of passages that may be retired: always whole segments."""
PIECES_KEPT_BYTES: Final = 200
"""What the numbers of a passage's pieces take."""

Segment = tuple[int, int | str | None]


class Growing:
    """What a namespace's snapshot is made from. `everywhere`: speakers that every conversation has; they have no name.

    Not safe for several threads at once; the snapshots are.
    """

    def __init__(self, everywhere: frozenset[str]) -> None:
        self._everywhere = everywhere
        self._segments: dict[Segment, int] = {}
        self._parted: dict[int, Segment] = {}
        """Documents by their segments: one that is put anew is another segment."""
        self._last_row: dict[int, int] = {}
        self._sizes: dict[int, int] = {}
        self._speakers: dict[str, int] = {}
        self._vectors = np.zeros((0, 0), np.int8)
        self._columns: dict[str, Column] = {}
        self._pieces_kept: dict[int, bytes] = {}
        """Numbers of the word pieces, by passage, of those that may be retired: the counts are to be lessened by them."""
        self.snapshot = _empty()

    @property
    def bytes(self) -> int:
        """What it takes in memory, its snapshot included."""
        return self.snapshot.bytes + PIECES_KEPT_BYTES * len(self._pieces_kept)

    def add_passages(self, rows: Sequence[PassageRow]) -> None:
        """Passages with higher ids than all before."""
        old = self.snapshot
        signatures = read_signatures([row.signature for row in rows])
        segment, previous, place = self._places(rows, old.rows)
        lengths = np.diff(signatures.stems_from)
        numbers = np.arange(old.rows, old.rows + len(rows))
        new: dict[str, Any] = {
            "ids": [row.id for row in rows],
            "conversation": [NONE if row.conversation_id is None else row.conversation_id for row in rows],
            "source": [row.source for row in rows],
            "speaker": [self._speaker(row.speaker) for row in rows],
            "observed_ms": [row.observed_ms for row in rows],
            "expires_ms": [NEVER_MS if row.expires_ms is None else row.expires_ms for row in rows],
            "flags": signatures.flags,
            "segment": segment,
            "previous": previous,
            "place": place,
            "length": lengths,
            "nouns": signatures.nouns,
            "nouns_row": np.repeat(numbers, np.diff(signatures.nouns_from)),
            "days": signatures.days,
            "days_row": np.repeat(numbers, np.diff(signatures.days_from)),
            "scales": np.zeros(len(rows)),
        }
        longer: dict[str, Any] = {name: self._column(name).with_more(values) for name, values in new.items()}
        self.snapshot = replace(
            old,
            **longer,
            segments=len(self._sizes),
            postings=old.postings.with_more(signatures.stems, np.repeat(numbers, lengths).astype(np.int32)),
            vectors=self._room(old.rows + len(rows)),
            speakers=tuple(self._speakers),
        )

    def add_vectors(self, rows: Sequence[VectorRow]) -> None:
        """Vectors of passages; those of passages that are not here are passed over."""
        old = self.snapshot
        at = self._rows_of([row.passage_id for row in rows])
        here = [(at[row.passage_id], row) for row in rows if row.passage_id in at]
        if not here:
            return
        places = [place for place, _ in here]
        components, scales = quantised([row.vector for _, row in here])
        if self._vectors.shape[1] != components.shape[1]:
            self._vectors = np.zeros((old.rows, components.shape[1]), np.int8)
        # A row's vector is written before any snapshot has its scale, so a search under way does not see it.
        vectors = self._room(old.rows)
        vectors[places] = components
        piece_ids = [row.piece_ids for _, row in here if row.piece_ids is not None]
        self._pieces_kept |= {
            row.passage_id: row.piece_ids
            for place, row in here
            if row.piece_ids is not None and old.source[place] in REPLACED
        }
        self.snapshot = replace(
            old,
            vectors=vectors,
            scales=self._changed("scales", places, scales),
            piece_counts=old.piece_counts.with_more(piece_ids),
        )

    def retire(self, passage_ids: Sequence[int]) -> None:
        """Have these passages count for nothing. Their rows stay, and nothing of what they said, which may have been forgotten.
        Those that are not here, or not any more, are passed over.

        Of a document all that are here, before what takes their place is added.
        """
        old = self.snapshot
        gone = {each: row for each, row in self._rows_of(passage_ids).items() if old.expires_ms[row] != GONE_MS}
        if not gone:
            return
        rows = np.array(list(gone.values()))
        pieces = [self._pieces_kept.pop(each) for each in gone if each in self._pieces_kept]
        segments = np.unique(old.segment[rows])
        for segment in segments.tolist():
            if segment in self._parted:
                del self._segments[self._parted.pop(segment)]
        # To a search under way that still has their scales they are like nothing.
        self._vectors[rows] = 0
        self.snapshot = replace(
            old,
            expires_ms=self._changed("expires_ms", rows, GONE_MS),
            length=self._changed("length", rows, 0),
            flags=self._changed("flags", rows, 0),
            scales=self._changed("scales", rows, 0),
            **self._without("nouns", rows),
            **self._without("days", rows),
            postings=old.postings.without(rows),
            piece_counts=old.piece_counts.without(pieces),
            retired=old.retired + len(rows),
            vacated=old.vacated + len(segments),
        )

    def _rows_of(self, passage_ids: Sequence[int]) -> dict[int, int]:
        """The rows of those that are here."""
        ids = self.snapshot.ids
        at = np.searchsorted(ids, passage_ids).tolist()
        return {each: row for each, row in zip(passage_ids, at, strict=True) if row < len(ids) and ids[row] == each}

    def _places(self, rows: Sequence[PassageRow], first: int) -> tuple[list[int], list[int], list[int]]:
        segments, previous, places = [], [], []
        for number, row in enumerate(rows, first):
            key = _segment_of(row)
            segment = self._segments.setdefault(key, len(self._sizes))
            if row.source == DOCUMENT:
                self._parted[segment] = key
            place = self._sizes.get(segment, 0)
            segments.append(segment)
            previous.append(self._last_row.get(segment, NONE))
            places.append(place)
            self._sizes[segment], self._last_row[segment] = place + 1, number
        return segments, previous, places

    def _speaker(self, name: str | None) -> int:
        if name is None or name in self._everywhere:
            return NONE
        return self._speakers.setdefault(name, len(self._speakers))

    def _column(self, name: str) -> Column:
        """The one that the snapshot's column of this name is a part of."""
        if name not in self._columns:
            empty = getattr(_empty(), name)
            self._columns[name] = Column(empty.dtype, empty.shape[1:])
        return self._columns[name]

    def _changed(self, name: str, rows: Any, values: Any) -> Any:
        """The column with other values for some rows, as one of its own: snapshots that are in use keep theirs."""
        every = self._anew(name, getattr(self.snapshot, name))
        every[rows] = values
        return every

    def _without(self, name: str, rows: Any) -> dict[str, Any]:
        """A column of what rows name, and that of whose it is, without these rows'."""
        owners = getattr(self.snapshot, f"{name}_row")
        left = ~np.isin(owners, rows)
        if left.all():
            return {}
        kept = {name: getattr(self.snapshot, name)[left], f"{name}_row": owners[left]}
        return {each: self._anew(each, values) for each, values in kept.items()}

    def _anew(self, name: str, values: Any) -> Any:
        """Values as a column of this name, to which more may come."""
        self._columns[name] = Column(values.dtype, values.shape[1:])
        return self._columns[name].with_more(values)

    def _room(self, rows: int) -> Any:
        """Space for that many vectors, of which the first are those that are known; it grows by halves."""
        if len(self._vectors) < rows:
            grown = np.zeros((max(rows, len(self._vectors) * 3 // 2), self._vectors.shape[1]), np.int8)
            grown[: len(self._vectors)] = self._vectors
            self._vectors = grown
        return self._vectors[:rows]


def _segment_of(row: PassageRow) -> Segment:
    if row.source == MESSAGE:
        return (row.conversation_id or 0, row.episode or 0)
    # A document's parts lie one after the other; what else is found stands alone.
    return (NONE, row.document_id) if row.source == DOCUMENT else (NONE, row.id)


_TYPES: Final = {"source": np.uint8, "speaker": np.int32, "flags": np.uint8, "nouns": np.uint32, "scales": np.float32}


def _empty() -> Snapshot:
    special: dict[str, Any] = {
        "segments": 0,
        "postings": Postings.none(),
        "days": np.zeros((0, 2), np.int32),
        "vectors": np.zeros((0, 0), np.int8),
        "piece_counts": PieceCounts.none(),
        "speakers": (),
        "retired": 0,
        "vacated": 0,
    }
    columns = {one.name: np.zeros(0, _TYPES.get(one.name, np.int64)) for one in fields(Snapshot)}
    return Snapshot(**{**columns, **special})
