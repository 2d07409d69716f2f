"""The packed word pieces of a memory, kept in memory where all of them fit: a search then reads none."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Final

BYTES_MAX: Final = 40 * 1024 * 1024
"""Of some twelve thousand messages. Of a larger memory few of those that were kept would be asked for."""
_BESIDE_THEM: Final = 150
"""What Python takes for an entry."""


class KeptPieces:
    """By passage; all of a memory's, those that were read so far, or none. Any thread may ask."""

    def __init__(self, bytes_max: int = BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._belonging = 0
        self._kept: dict[int, bytes] = {}
        self._turn = threading.Lock()
        self.bytes = 0

    @property
    def fit(self) -> bool:
        """Whether all that belong to the memory may be kept."""
        return self._belonging <= self._bytes_max

    def expect(self, passages: int, packed_bytes: int) -> None:
        """That so many more belong to the memory."""
        self._belonging += packed_bytes + passages * _BESIDE_THEM
        if not self.fit:
            self.clear()

    def of(self, passage_ids: Iterable[int]) -> dict[int, bytes]:
        """Those of these passages that are kept."""
        kept = self._kept
        return {each: packed for each in passage_ids if (packed := kept.get(each)) is not None}

    def keep(self, pieces: Mapping[int, bytes]) -> None:
        """What was read, where all fit; another search may have read the same meanwhile."""
        with self._turn:
            for passage_id in pieces.keys() - self._kept.keys() if self.fit else ():
                self._kept[passage_id] = pieces[passage_id]
                self.bytes += len(pieces[passage_id]) + _BESIDE_THEM

    def clear(self) -> None:
        """Keep none for now."""
        with self._turn:
            self._kept = {}
            self.bytes = 0
