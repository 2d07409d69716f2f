"""A column of numbers that grows at its end without being copied each time."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

_SPARE: Final = 1 / 4
_SPARE_MIN: Final = 64


class Column:
    """What was given out never changes: only what lies behind it is written. Not for several threads at once."""

    def __init__(self, dtype: DTypeLike, width: tuple[int, ...] = ()) -> None:
        self._room = np.zeros((0, *width), dtype)
        self._used = 0

    def with_more(self, values: ArrayLike) -> NDArray[Any]:
        """All values so far and these."""
        new = np.asarray(values, self._room.dtype).reshape(-1, *self._room.shape[1:])
        first, self._used = self._used, self._used + len(new)
        if self._used > len(self._room):
            # Not as the system gives it: freed memory may hold what was forgotten.
            grown = np.zeros((self._used + max(_SPARE_MIN, int(self._used * _SPARE)), *self._room.shape[1:]), new.dtype)
            grown[:first] = self._room[:first]
            self._room = grown
        self._room[first : self._used] = new
        return self._room[: self._used]
