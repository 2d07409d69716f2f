"""Time as an argument: a wall clock in UTC epoch milliseconds, which tests replace."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], int]
"""Returns UTC Unix epoch milliseconds. May step back: never order events by it."""


def system_clock() -> int:
    """UTC Unix epoch milliseconds of this host."""
    return time.time_ns() // 1_000_000
