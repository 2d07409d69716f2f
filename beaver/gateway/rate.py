"""How many requests a user may make, counted in this process."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from beaver.errors import LimitExceeded

USERS_MAX: Final = 100_000
"""Above this all counts start anew: memory is bounded, and a limit is no ledger."""


class RateExceeded(LimitExceeded):
    """Too many requests; another may be made after `retry_after_s` seconds."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("this user has made too many requests")
        self.retry_after_s = retry_after_s


class RateLimit:
    """A bucket a principal: a minute's requests at once, then as many as the rate fills in again. None: no limit."""

    def __init__(self, per_minute: int | None, now_s: Callable[[], float]) -> None:
        """`now_s` is a clock that never goes back, in seconds."""
        self._per_minute = per_minute
        self._now_s = now_s
        self._buckets: dict[str, tuple[float, float]] = {}

    def count(self, principal: str) -> None:
        """Count a request. Raises RateExceeded, and does not count, when there were too many."""
        if self._per_minute is None:
            return
        now_s = self._now_s()
        held, filled_s = self._buckets.get(principal, (float(self._per_minute), now_s))
        held = min(float(self._per_minute), held + (now_s - filled_s) * self._per_minute / 60)
        if held < 1:
            raise RateExceeded(max(1, math.ceil((1 - held) * 60 / self._per_minute)))
        if len(self._buckets) >= USERS_MAX:
            self._buckets.clear()
        self._buckets[principal] = (held - 1, now_s)
