"""The worker says that it lives: a row in the session database, written every few seconds, gone after a clean stop."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from beaver.db.engine import Database, Transaction
from beaver.logs import get_logger
from beaver.outbox.heartbeats import BEAT_EVERY_S, Heartbeat, HeartbeatStore
from worker.draining import end
from worker.metrics import WorkerMetrics

WRITE_S: Final = 4.0
"""Most seconds one write may take: a database that is gone must not hold up the next beat, nor the end of the process."""


@dataclass(frozen=True)
class Heart:
    """Beats at once and then every `every_s` seconds. It never raises: a worker whose beat fails still delivers turns."""

    database: Database
    store: HeartbeatStore
    metrics: WorkerMetrics
    worker_id: str
    draining: Callable[[], bool]
    every_s: float = BEAT_EVERY_S

    async def run(self) -> None:
        """Until cancelled."""
        await self._write(self.store.forget_lost)
        while True:
            await self._write(self._beat)
            await asyncio.sleep(self.every_s)

    async def stop(self) -> None:
        """Take the row away."""
        await self._write(lambda tx: self.store.forget(tx, self.worker_id))

    async def _beat(self, tx: Transaction) -> None:
        await self.store.beat(
            tx,
            Heartbeat(
                worker_id=self.worker_id,
                host=socket.gethostname(),
                pid=os.getpid(),
                version=version("beaver-agent"),
                in_flight=self.metrics.in_flight,
                draining=self.draining(),
            ),
        )

    async def _write(self, step: Callable[[Transaction], Awaitable[None]]) -> None:
        try:
            async with asyncio.timeout(WRITE_S), self.database.write() as tx:
                await step(tx)
        # Whatever goes wrong in here, also a bug, must not end the worker; its row then goes stale, which is how it shows.
        except Exception as error:
            self.metrics.heartbeat_faults.inc()
            get_logger().warning("heartbeat.failed", reason=type(error).__name__, exc_info=error)


@asynccontextmanager
async def beating(heart: Heart) -> AsyncIterator[None]:
    """The heart beside whatever runs inside; stopped with it."""
    task = asyncio.create_task(heart.run())
    try:
        yield
    finally:
        await end(task)
        await heart.stop()
