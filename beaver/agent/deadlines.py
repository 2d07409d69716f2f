"""Searches under a deadline: past it the turn goes on, and the late answer is handed to whoever keeps it warm."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from beaver.errors import BeaverError
from beaver.logs import get_logger

LATE_MAX: Final = 32
"""Searches that may go on past their deadline at once; further ones are broken off at it."""

T = TypeVar("T")


@dataclass(frozen=True)
class InTime(Generic[T]):
    """The search answered."""

    answer: T
    seconds: float


@dataclass(frozen=True)
class Late:
    """It did not within its deadline."""

    seconds: float


@dataclass(frozen=True)
class Failed:
    """It failed, with a code of `beaver.errors`."""

    code: str
    seconds: float


Outcome = InTime[T] | Late | Failed


class Deadlines:
    """Runs searches. Close it when done: what is late then is broken off."""

    def __init__(self, *, late_max: int = LATE_MAX) -> None:
        self._late_max = late_max
        self._late: set[asyncio.Task[Any]] = set()

    async def within(
        self, deadline_s: float, search: Coroutine[Any, Any, T], warm: Callable[[T], None]
    ) -> InTime[T] | Late | Failed:
        """The search's outcome after at most the deadline; an answer that comes later goes to `warm`.

        A failure of the world is an outcome, a bug is raised; cancellation breaks the search off.
        """
        started_at = time.monotonic()
        task = asyncio.create_task(search)
        try:
            await asyncio.wait({task}, timeout=deadline_s)
        except asyncio.CancelledError:
            task.cancel()
            raise
        seconds = time.monotonic() - started_at
        if not task.done():
            self._leave(task, warm)
            return Late(seconds)
        try:
            return InTime(task.result(), seconds)
        except BeaverError as error:
            return Failed(error.code, seconds)

    async def aclose(self) -> None:
        """Break off what is late; idempotent."""
        late = list(self._late)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def _leave(self, task: asyncio.Task[T], warm: Callable[[T], None]) -> None:
        if len(self._late) >= self._late_max:
            task.cancel()
            return
        self._late.add(task)
        task.add_done_callback(lambda done: self._arrived(done, warm))

    def _arrived(self, task: asyncio.Task[T], warm: Callable[[T], None]) -> None:
        self._late.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            warm(task.result())
        else:
            get_logger().info("recall.late_failure", error=type(error).__name__)
