"""The word pieces of a memory, measured, kept in memory where all of them fit: after some searches none has to be read."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

BYTES_MAX: Final = 40 * 1024 * 1024
"""Of some twelve thousand messages. Of a larger memory few of those that were kept would be asked for."""
READ_BESIDE: Final = 500
"""How many passages a search reads beside those that it needs: about 1 MB, 5 ms. All at once would be a long first search."""
_BESIDE_THEM: Final = 150
"""What Python takes for an entry."""
_NONE: Final = b""
"""Kept of a passage whose pieces were looked for in vain: its text has none, or they are damaged."""


@dataclass(frozen=True)
class Reading:
    """What a search is about to read; `as_of`: which vectors had come by then."""

    passage_ids: Sequence[int]
    as_of: int


class KeptPieces:
    """By passage; all of a memory's, those that were read so far, or none. Any thread may ask."""

    def __init__(self, bytes_max: int = BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._belonging = 0
        self._kept: dict[int, bytes] = {}
        self._unread: list[int] = []
        self._dropped: set[int] = set()
        self._as_of = 0
        self._turn = threading.Lock()
        self.bytes = 0

    @property
    def fit(self) -> bool:
        """Whether all that belong to the memory may be kept."""
        return self._belonging <= self._bytes_max

    def expect(self, passage_ids: Sequence[int], packed_bytes: int) -> None:
        """That vectors of these have come, with pieces of so many bytes together."""
        with self._turn:
            self._as_of += 1
            for passage_id in passage_ids:
                if self._kept.get(passage_id) == _NONE:
                    del self._kept[passage_id]
                    self.bytes -= _BESIDE_THEM
        self._belonging += packed_bytes + len(passage_ids) * _BESIDE_THEM
        self._unread += passage_ids
        if not self.fit:
            self._unread = []
            self.clear()

    def of(self, passage_ids: Iterable[int]) -> dict[int, bytes]:
        """Those of these passages that are kept; no bytes for one that has none."""
        kept = self._kept
        return {each: packed for each in passage_ids if (packed := kept.get(each)) is not None}

    def to_read(self, missing: Sequence[int]) -> Reading:
        """What a search reads that lacks some: these, and of what nobody read yet the newest."""
        with self._turn:
            beside = self._unread[-READ_BESIDE:]
            del self._unread[-READ_BESIDE:]
            return Reading([*{*missing, *beside}], self._as_of)

    def keep(self, reading: Reading, found: Mapping[int, bytes]) -> None:
        """What was read, where all fit; another search may have read the same meanwhile.

        Also that the others have none, unless vectors have come since: theirs may be among these.
        """
        with self._turn:
            in_vain = reading.passage_ids if reading.as_of == self._as_of else ()
            pieces = {**dict.fromkeys(in_vain, _NONE), **found}
            for passage_id in pieces.keys() - self._kept.keys() - self._dropped if self.fit else ():
                self._kept[passage_id] = pieces[passage_id]
                self.bytes += len(pieces[passage_id]) + _BESIDE_THEM

    def drop(self, passage_ids: Collection[int]) -> None:
        """Let go of those of these passages, which nobody will ask for; what a search under way has read of them is not kept."""
        with self._turn:
            self._dropped.update(passage_ids)
            for passage_id in passage_ids:
                gone = self._kept.pop(passage_id, None)
                self.bytes -= 0 if gone is None else len(gone) + _BESIDE_THEM

    def clear(self) -> None:
        """Keep none for now."""
        with self._turn:
            self._kept = {}
            self.bytes = 0
