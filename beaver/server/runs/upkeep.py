"""What a chat server does by itself: stop the runs it is told to, end those that a crash left, forget old streams."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from beaver.db.engine import Database
from beaver.errors import BeaverError
from beaver.logs import get_logger
from beaver.server.runs.registry import RunRegistry
from beaver.sessions.run_events import RunEventStore
from beaver.sessions.run_queue import RunQueueStore
from beaver.sessions.run_requests import RunRequestStore
from beaver.sessions.store import SessionStore

STOP_EVERY_S: Final = 0.5
REAP_EVERY_S: Final = 10.0
PRUNE_EVERY_S: Final = 600.0
STREAMS_KEPT_MS: Final = 3600 * 1000


class Upkeep:
    """The tasks of one chat server. Every server has its own; they may do the same at the same time."""

    def __init__(self, database: Database, registry: RunRegistry) -> None:
        self._database = database
        self._registry = registry
        self._sessions = SessionStore(database.dialect)
        self._queue = RunQueueStore(database.dialect)
        self._events = RunEventStore(database.dialect)
        self._requests = RunRequestStore(database.dialect)
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin."""
        work = ((self.stop_runs, STOP_EVERY_S), (self.reap, REAP_EVERY_S), (self.prune, PRUNE_EVERY_S))
        self._tasks = [asyncio.create_task(_every(seconds, act)) for act, seconds in work]

    async def aclose(self) -> None:
        """End; idempotent."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def stop_runs(self) -> None:
        """Stop the runs of this process that any server was asked to stop, or whose session was deleted."""
        known = self._registry.known_ids()
        if not known:
            return
        async with self._database.read() as tx:
            to_stop = await self._queue.to_stop(tx, known)
        for run_id in to_stop:
            if run := self._registry.find(run_id):
                run.stop()

    async def reap(self) -> None:
        """End as crashed the runs of all servers whose lease has expired, but for this one's own: it sees that they live."""
        async with self._database.write() as tx:
            reaped = await self._sessions.reap_runs(tx, alive=self._registry.known_ids())
        if reaped:
            get_logger().warning("runs.reaped", count=len(reaped))

    async def prune(self) -> None:
        """Forget the streams of runs that ended an hour ago, and requests that will not come again."""
        async with self._database.write() as tx:
            await self._events.prune(tx, older_ms=STREAMS_KEPT_MS)
            await self._requests.prune(tx)


async def _every(seconds: float, act: Callable[[], Awaitable[None]]) -> None:
    while True:
        await asyncio.sleep(seconds)
        try:
            await act()
        except BeaverError as error:
            get_logger().warning("server.upkeep_failed", code=error.code)
