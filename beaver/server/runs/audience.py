"""Who listens to the runs of this process: where the server is told so, a run ends when its last listener hangs up."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Final

from fastapi import Request

from beaver.server.runs.registry import Run

LOOK_EVERY_S: Final = 0.25


class Audience:
    """Counts the connections to each run that was asked for over one. Owns the tasks that watch them: `aclose` at the end.

    Listeners at other servers are not counted: whoever reads a run there only reads what is stored of it.
    """

    def __init__(self) -> None:
        self._listeners: Counter[Run] = Counter()
        self._watching: set[asyncio.Task[None]] = set()

    def has(self, run: Run) -> bool:
        """Whether somebody listens who counts."""
        return self._listeners[run] > 0

    def join(self, request: Request, run: Run) -> None:
        """The connection of `request` listens to the run, until either ends."""
        self._listeners[run] += 1
        watching = asyncio.create_task(self._watch(request, run))
        self._watching.add(watching)
        watching.add_done_callback(self._watching.discard)

    async def aclose(self) -> None:
        """End what watches; idempotent."""
        left = set(self._watching)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)

    async def _watch(self, request: Request, run: Run) -> None:
        while not run.task.done() and not await request.is_disconnected():
            await asyncio.wait({run.task}, timeout=LOOK_EVERY_S)
        self._listeners[run] -= 1
        if not self.has(run):
            del self._listeners[run]
            run.stop()
