"""A count that is asked for often, and costs the more the more there is."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

KEPT_TIMES: Final = 100
"""A count is kept for so many times as long as it took: counting takes a hundredth of the time at most."""
QUICK_S: Final = 0.02
"""What takes no longer is counted every time."""

T = TypeVar("T")


class Counted(Generic[T]):
    """What was counted last, while that is kept."""

    def __init__(self, count: Callable[[], Awaitable[T]], clock_s: Callable[[], float] = time.monotonic) -> None:
        self._count = count
        self._clock_s = clock_s
        self._last: T | None = None
        self._kept_until_s = 0.0

    async def now(self) -> T:
        """The count. Raises what counting raises."""
        if self._last is None or self._clock_s() >= self._kept_until_s:
            begun_s = self._clock_s()
            self._last = await self._count()
            ended_s = self._clock_s()
            took_s = ended_s - begun_s
            self._kept_until_s = ended_s + (KEPT_TIMES * took_s if took_s > QUICK_S else 0.0)
        return self._last
