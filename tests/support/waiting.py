"""Wait for a condition, never for a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def wait_until(condition: Callable[[], Awaitable[T]], *, within_s: float = 15, what: str = "the condition") -> T:
    """Poll until the condition gives something truthy and return it; fail, saying what was waited for, at the bound."""
    give_up = time.monotonic() + within_s
    while True:
        value = await condition()
        if value:
            return value
        if time.monotonic() > give_up:
            raise AssertionError(f"{what} did not come true within {within_s} s")
        await asyncio.sleep(0.02)
