"""Where a turn's time goes: the persister inside this process, one turn after the other, its parts under the clock."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from statistics import mean, median
from typing import Any, TypeVar

from sqlalchemy import event

from beaver.client.gateway import MemoryGatewayClient
from beaver.config.loader import load_settings
from beaver.config.memory import gateway_of
from beaver.config.paths import InstancePaths
from beaver.db.engine import Database, Transaction
from beaver.outbox.ledger_writer import LedgerWriter
from beaver.schemas.jobs import PersistJob
from beaver.sessions.store import SessionStore
from tests.bench.figures import Table, progress
from tests.bench.options import DatabaseKind
from tests.bench.stage import Stage, stages
from worker.clients import GatewayClients
from worker.parts import open_parts
from worker.persist import Persister

T = TypeVar("T")

TRANSACTIONS = ("claimed + adding", "added + flushing", "flushed")
WARM_UP = 20
CLAIM_MS = 60_000


class Clock:
    """Seconds by part, and statements by transaction; `at` is the transaction that the turn is in."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.statements: dict[str, int] = defaultdict(int)
        self.at = 0

    @property
    def transaction(self) -> str:
        """Its name."""
        return TRANSACTIONS[self.at % len(TRANSACTIONS)]

    async def time(self, part: str, work: Awaitable[T]) -> T:
        """Await it under the clock."""
        begun = time.perf_counter()
        done = await work
        self.seconds[part].append(time.perf_counter() - begun)
        return done


class TimedDatabase(Database):
    """A database whose write transactions are timed, from the wait for a connection to the end of the commit."""

    clock: Clock

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        """As the original."""
        begun = time.perf_counter()
        async with super().write() as tx:
            yield tx
        self.clock.seconds[self.clock.transaction].append(time.perf_counter() - begun)
        self.clock.at += 1


class TimedClient(MemoryGatewayClient):
    """A Gateway client whose calls are timed."""

    clock: Clock

    async def add(self, **call: Any) -> tuple[str, ...]:
        """As the original."""
        return await self.clock.time("call: add", super().add(**call))

    async def flush(self, **call: Any) -> None:
        """As the original."""
        await self.clock.time("call: flush", super().flush(**call))


async def breakdown(kind: DatabaseKind, turns: int) -> Table:
    """Median milliseconds of each part of a turn that has the process to itself, with its share, and its statements."""
    progress(f"persist, {kind}: where the time of {turns} turns goes")
    async with stages(kind) as stage, persisting(stage) as (persister, clock):
        run_ids = await stage.fill(turns + WARM_UP)
        clock.at = 0
        for run_id in run_ids[:WARM_UP]:
            await persister.persist(PersistJob(run_id=run_id, generation=0))
        clock.seconds.clear()
        clock.statements.clear()
        worked = time.process_time()
        for run_id in run_ids[WARM_UP:]:
            await clock.time("turn", persister.persist(PersistJob(run_id=run_id, generation=0)))
        worked = (time.process_time() - worked) / turns
        return Table(f"{turns} turns one by one in one process, {kind}", _lines(clock, turns, worked))


@asynccontextmanager
async def persisting(stage: Stage) -> AsyncIterator[tuple[Persister, Clock]]:
    """A persister over the stage's ledger, and the clock that it runs under."""
    settings = load_settings(InstancePaths.at(stage.root), os.environ)
    gateway = gateway_of(settings.memory)
    assert gateway is not None
    clock = Clock()
    async with AsyncExitStack() as opened:
        parts = await opened.enter_async_context(open_parts(settings, gateway, draining=lambda: False))
        database = TimedDatabase.open(settings.sessions_url)
        opened.push_async_callback(database.close)
        client = TimedClient(gateway)
        opened.push_async_callback(client.aclose)
        assert isinstance(database, TimedDatabase)
        database.clock = client.clock = clock
        _count_statements(database, clock)
        clients = GatewayClients({gateway.owner: client})
        sessions = SessionStore(database.dialect)
        ledger = LedgerWriter(database, parts.store, sessions, "bench", CLAIM_MS, clients.sendable)
        yield replace(parts.persister, ledger=ledger, clients=clients), clock


def _count_statements(database: Database, clock: Clock) -> None:
    @event.listens_for(database.engine.sync_engine, "before_cursor_execute")
    def _(*_: object) -> None:
        clock.statements[clock.transaction] += 1


def _lines(clock: Clock, turns: int, worked: float) -> list[dict[str, Any]]:
    whole = mean(clock.seconds["turn"])
    lines = [
        {
            "": part,
            "p50 ms": round(median(clock.seconds[part]) * 1000, 2),
            "share": f"{sum(clock.seconds[part]) / turns / whole:.0%}",
            "statements": round(clock.statements[part] / turns, 1) if part in TRANSACTIONS else None,
        }
        for part in (TRANSACTIONS[0], "call: add", TRANSACTIONS[1], "call: flush", TRANSACTIONS[2], "turn")
    ]
    cpu = {"": "CPU of this process", "p50 ms": round(worked * 1000, 2), "share": f"{worked / whole:.0%}"}
    return [*lines, {**cpu, "statements": None}]
