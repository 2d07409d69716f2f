"""Which passages hold a stem, and how often: sorted once, with a short unsorted end that grows by every write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Stems = NDArray[np.uint32]
Rows = NDArray[np.int32]

_UNSORTED_MIN: Final = 8192
_NO_ROW: Final = -1


@dataclass(frozen=True)
class Postings:
    """`sorted_stems` rises, `sorted_rows` are the rows that hold them; `stems` and `rows` came later."""

    sorted_stems: Stems
    sorted_rows: Rows
    stems: Stems
    rows: Rows

    @classmethod
    def none(cls) -> Postings:
        """Of no passage."""
        stems, rows = np.zeros(0, np.uint32), np.zeros(0, np.int32)
        return cls(stems, rows, stems, rows)

    @property
    def bytes(self) -> int:
        """What it takes in memory."""
        return 2 * (self.sorted_stems.nbytes + self.stems.nbytes)

    def with_more(self, stems: Stems, rows: Rows) -> Postings:
        """These and more of later rows. Sorts anew when a tenth has come since the last time."""
        ended = np.concatenate([self.stems, stems])
        ended_rows = np.concatenate([self.rows, rows])
        if len(ended) < max(_UNSORTED_MIN, len(self.sorted_stems) // 10):
            return Postings(self.sorted_stems, self.sorted_rows, ended, ended_rows)
        every = np.concatenate([self.sorted_stems, ended])
        order = np.argsort(every, kind="stable")
        nothing = Postings.none()
        rows_in_order = np.concatenate([self.sorted_rows, ended_rows])[order]
        return Postings(every[order], rows_in_order, nothing.stems, nothing.rows)

    def without(self, gone: Ints) -> Postings:
        """As if these rows had no stems."""
        in_sorted = not len(self.rows) or bool(gone.min() < self.rows[0])
        left = slice(None) if not in_sorted else ~np.isin(self.sorted_rows, gone)
        later = ~np.isin(self.rows, gone)
        return Postings(self.sorted_stems[left], self.sorted_rows[left], self.stems[later], self.rows[later])

    def count(self, stem: int) -> int:
        """How often a stem stands in the rows."""
        first, last = (np.searchsorted(self.sorted_stems, np.uint32(stem), side) for side in ("left", "right"))
        return int(last - first) + int(np.count_nonzero(self.stems == np.uint32(stem)))

    def hold(self, stems: Stems) -> NDArray[np.bool_]:
        """Of each stem, whether it stands in a row."""
        firsts = np.searchsorted(self.sorted_stems, stems, "left")
        lasts = np.searchsorted(self.sorted_stems, stems, "right")
        return (lasts > firsts) | np.isin(stems, self.stems)

    def of(self, stem: int) -> tuple[Ints, Ints]:
        """The rows that hold a stem, rising, and how often each does."""
        first = np.searchsorted(self.sorted_stems, np.uint32(stem), "left")
        last = np.searchsorted(self.sorted_stems, np.uint32(stem), "right")
        later = self.rows[self.stems == np.uint32(stem)]
        rising = np.concatenate([self.sorted_rows[first:last], later]).astype(np.int64)
        firsts = np.flatnonzero(np.diff(rising, prepend=_NO_ROW))
        return rising[firsts], np.diff(firsts, append=len(rising))


def each_once(rows: Ints) -> Ints:
    """Rows (0 and above) rising, each once. numpy's own `unique` loads its masked arrays when first asked: 50 ms of a search."""
    rising = np.sort(rows)
    return np.asarray(rising[np.diff(rising, prepend=_NO_ROW) > 0])
