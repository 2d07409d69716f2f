"""The worker's periodic look at the ledger: judge orphans, ring for what waits too long, try withdrawals again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from beaver.client.jobs import PersistQueue
from beaver.clock import system_clock
from beaver.db.engine import Database
from beaver.logs import get_logger
from beaver.outbox.audit import WORKER_LOST
from beaver.outbox.distilled.store import DistilledStore
from beaver.outbox.relay import relay_due, ring_all
from beaver.outbox.states import ENDS
from beaver.outbox.store import OutboxStore
from beaver.outbox.sweep import sweep_orphans
from beaver.schemas.jobs import DistilledJob
from worker.draining import end
from worker.metrics import WorkerMetrics
from worker.withdrawal import Withdrawer


@dataclass(frozen=True)
class Sweeper:
    """Sweeps at once and then every `every_s` seconds, a quarter more or less so that workers do not march in step."""

    database: Database
    store: OutboxStore
    distilled: DistilledStore
    withdrawer: Withdrawer
    queue: PersistQueue
    holder: str
    every_s: float
    metrics: WorkerMetrics

    async def run(self) -> None:
        """Until cancelled. A sweep that fails is logged, and the next one tries again."""
        while True:
            try:
                await self.sweep()
            # Whatever goes wrong in here, also a bug, must not end the worker, whose jobs may be in order; nothing is
            # lost by it, since the ledger still holds every row that this sweep did not come to.
            except Exception as error:
                self.metrics.sweep_faults.inc()
                get_logger().warning("sweep.failed", reason=type(error).__name__, exc_info=error)
            await asyncio.sleep(self.every_s * random.uniform(0.75, 1.25))  # noqa: S311 - jitter, not a secret

    async def sweep(self) -> None:
        """One look: orphans first, since they may stand before others, and the Gateway, which may be away, last."""
        swept = await sweep_orphans(self.database, self.store, f"sweeper:{self.holder}")
        for state in ENDS & swept.states.keys():
            self.metrics.ended(state, WORKER_LOST, swept.states[state])
        await ring_all(self.queue, swept.rings)
        rung = 0
        while now := await relay_due(self.database, self.store, self.queue):
            rung += now
        await self._ring_for_items()
        if swept.states or rung:
            states = {str(state): count for state, count in swept.states.items()}
            say = get_logger().warning if ENDS & swept.states.keys() else get_logger().info
            say("sweep.done", resolved=states, rung=rung)
        await self.withdrawer.again()

    async def _ring_for_items(self) -> None:
        """One ring for all the items of the host's memory that wait too long, however many there are."""
        async with self.database.read() as tx:
            waiting = await self.distilled.needs_worker(tx)
        if waiting:
            await self.queue.ring_distilled(DistilledJob(number=system_clock()))


@asynccontextmanager
async def sweeping(sweeper: Sweeper) -> AsyncIterator[None]:
    """The sweeper beside whatever runs inside; ended with it."""
    task = asyncio.create_task(sweeper.run())
    try:
        yield
    finally:
        await end(task)
