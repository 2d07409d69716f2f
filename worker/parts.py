"""What a worker process holds open: the ledger, the Gateway client, the queue, and the services over them."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cache

from beaver.apart import look_names_up_apart
from beaver.client.jobs import PersistQueue
from beaver.config.memory import GatewaySettings
from beaver.config.settings import Settings
from beaver.db.engine import Database
from beaver.outbox.distilled.store import DistilledStore
from beaver.outbox.heartbeats import HeartbeatStore
from beaver.outbox.ledger_writer import LedgerWriter
from beaver.outbox.store import OutboxStore
from beaver.outbox.withdrawals import WithdrawalStore
from beaver.sessions.store import SessionStore
from worker.clients import GatewayClients
from worker.distilled import DistilledCourier
from worker.heartbeat import Heart, beating
from worker.metrics import WorkerMetrics, serving_metrics
from worker.persist import Persister
from worker.sweep import Sweeper, sweeping
from worker.timing import BUSY_BUDGET_S, RING_MS, Timing
from worker.withdrawal import Withdrawer


@dataclass(frozen=True)
class Parts:
    """The parts, ready for use; none has connected yet."""

    database: Database
    store: OutboxStore
    ledger: LedgerWriter
    persister: Persister
    courier: DistilledCourier
    sweeper: Sweeper
    heart: Heart
    metrics: WorkerMetrics


@asynccontextmanager
async def open_parts(
    settings: Settings, gateway: GatewaySettings, draining: Callable[[], bool]
) -> AsyncIterator[Parts]:
    """Build the parts of one worker process and close them at the end. `draining` says whether to start nothing more."""
    look_names_up_apart()
    holder = process_name()
    async with AsyncExitStack() as opened:
        database = Database.open(settings.sessions_url, busy_budget_s=BUSY_BUDGET_S, pool_size=10)
        opened.push_async_callback(database.close)
        # No answer waits for these rings: a queue that is too far away for a chat to ring it still gets the relay's.
        queue = PersistQueue.open(settings.redis_url, timeout_ms=max(RING_MS, settings.queue.enqueue_timeout_ms))
        opened.push_async_callback(queue.aclose)
        clients = GatewayClients.of(gateway)
        opened.push_async_callback(clients.aclose)
        sessions = SessionStore(database.dialect)
        store = OutboxStore(database.dialect, sessions)
        distilled = DistilledStore(database.dialect)
        withdrawer = Withdrawer(database, WithdrawalStore(database.dialect), clients)
        metrics = WorkerMetrics()
        claim_ms = Timing.of(settings.worker, gateway).claim_ms
        ledger = LedgerWriter(database, store, sessions, holder, claim_ms, clients.sendable)
        yield Parts(
            database,
            store,
            ledger,
            Persister(ledger, clients, withdrawer, queue, draining, metrics),
            DistilledCourier(
                database, distilled, clients, withdrawer, gateway, holder, draining, Timing.of(settings.worker, gateway)
            ),
            Sweeper(database, store, distilled, withdrawer, queue, holder, settings.worker.sweep_seconds, metrics),
            Heart(database, HeartbeatStore(database.dialect), metrics, holder, draining),
            metrics,
        )


@asynccontextmanager
async def beside_the_jobs(settings: Settings, parts: Parts) -> AsyncIterator[None]:
    """What a worker does besides its jobs, from the ready ledger to the end of the drain: metrics, heartbeat, sweeps."""
    async with (
        serving_metrics(settings.worker, parts.metrics, parts.database, parts.store),
        beating(parts.heart),
        sweeping(parts.sweeper),
    ):
        yield


@cache
def process_name() -> str:
    """host:pid:random, the same for the process's whole life; the random part since a pid comes again."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(3)}"
