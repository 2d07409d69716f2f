"""What a worker process holds open: the ledger, the Gateway client, the queue, and the two services over them."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cache

from beaver.client.gateway import MemoryGatewayClient
from beaver.client.jobs import PersistQueue
from beaver.config.memory import GatewaySettings
from beaver.config.settings import Settings
from beaver.db.engine import Database
from beaver.outbox.store import OutboxStore
from beaver.sessions.store import SessionStore
from worker.persist import Persister
from worker.sweep import Sweeper
from worker.timing import BUSY_BUDGET_S, Timing


@dataclass(frozen=True)
class Parts:
    """The parts, ready for use; none has connected yet."""

    database: Database
    persister: Persister
    sweeper: Sweeper


@asynccontextmanager
async def open_parts(
    settings: Settings, gateway: GatewaySettings, draining: Callable[[], bool]
) -> AsyncIterator[Parts]:
    """Build the parts of one worker process and close them at the end. `draining` says whether to start nothing more."""
    holder = process_name()
    async with AsyncExitStack() as opened:
        database = Database.open(settings.sessions_url, busy_budget_s=BUSY_BUDGET_S, pool_size=10)
        opened.push_async_callback(database.close)
        queue = PersistQueue.open(settings.redis_url, timeout_ms=settings.queue.enqueue_timeout_ms)
        opened.push_async_callback(queue.aclose)
        client = MemoryGatewayClient(gateway)
        opened.push_async_callback(client.aclose)
        sessions = SessionStore(database.dialect)
        store = OutboxStore(database.dialect, sessions)
        claim_ms = Timing.of(settings.worker, gateway).claim_ms
        yield Parts(
            database,
            Persister(database, store, sessions, client, queue, gateway, holder, claim_ms, draining),
            Sweeper(database, store, queue, holder, settings.worker.sweep_seconds),
        )


@cache
def process_name() -> str:
    """host:pid:random, the same for the process's whole life; the random part since a pid comes again."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(3)}"
