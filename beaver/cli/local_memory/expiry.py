"""Erases items whose time is over, beside the answers: once the store is open, and then now and then."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from beaver.logs import get_logger
from beaver.memory.runtime import MemoryRuntime

EVERY_S: Final = 3_600.0
ROWS_A_STEP: Final = 50
"""Erased in one transaction: a write of a turn waits for one step at most."""


class ExpiredItems:
    """Clears one store, whose runtime stays its owner's. Several processes may do so at once."""

    def __init__(self, runtime: MemoryRuntime, *, every_s: float = EVERY_S, rows_a_step: int = ROWS_A_STEP) -> None:
        self._runtime = runtime
        self._every_s = every_s
        self._rows_a_step = rows_a_step
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, in a task of its own."""
        self._task = asyncio.create_task(self._now_and_then(), name="expired-items")

    async def erase(self) -> int:
        """Erase all that has expired, unless this is closed meanwhile; how many items there were. Raises Unavailable."""
        erased = 0
        while not self._closing.is_set():
            step = await self._runtime.forget_expired(rows_max=self._rows_a_step)
            if step == 0:
                break
            erased += step
        return erased

    async def close(self) -> None:
        """End after the step under way; idempotent."""
        self._closing.set()
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _now_and_then(self) -> None:
        while not self._closing.is_set():
            try:
                erased = await self.erase()
                if erased:
                    get_logger().info("items.expired", count=erased)
            # Also a bug must not end it: what expired would stay, and nobody would be told before the next start.
            except Exception as error:
                get_logger().warning("items.expiry_failed", reason=type(error).__name__)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._every_s):
                    await self._closing.wait()
