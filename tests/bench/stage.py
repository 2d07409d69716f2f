"""Where the queue's benchmarks play: a ledger full of turns, real worker processes, a Gateway that costs nothing."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arq.connections import ArqRedis
from sqlalchemy import func, insert, select, update

from beaver.client.jobs import arq_redis
from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from beaver.db.tables import events, outbox, outbox_timeline, sessions
from beaver.ids import new_id
from beaver.outbox.states import State
from beaver.schemas.jobs import PERSIST_FUNCTION, QUEUE_NAME, PersistJob
from tests.bench.figures import progress
from tests.bench.lean_stub import LeanStub, running_lean_stub
from tests.bench.options import DatabaseKind
from tests.support.postgres import running_postgres
from tests.support.processes import WORKER, InstanceProcess, Start
from tests.support.valkey import ValkeyServer, running_valkey
from tests.support.waiting import wait_until
from tests.support.worker_instance import write_instance

PROMPT = "Where do beavers build their lodges, and how do they keep the water out? " * 3
ANSWER = "They build them of sticks and mud in still water, with the entrance below the surface. " * 6
HELD_QUEUE = "bench:held"
AT_ONCE = 20
CHUNK = 1000
FAR_MS = 3_600_000
PROGRESS_S = 5


@dataclass(frozen=True)
class Stage:
    """One ledger with everything around it."""

    root: Path
    database: Database
    redis: ArqRedis
    valkey: ValkeyServer
    stub: LeanStub

    async def fill(self, turns: int) -> list[str]:
        """Completed turns, each of a session of its own, that nobody has rung for yet; returns their run ids."""
        run_ids = [new_id("run") for _ in range(turns)]
        for start in range(0, turns, CHUNK):
            await self._fill(run_ids[start : start + CHUNK])
        return run_ids

    async def hold(self, jobs: Mapping[str, Mapping[str, Any]]) -> None:
        """Put jobs (their arguments by id) where no worker listens."""
        waiting = list(jobs.items())
        for start in range(0, len(waiting), AT_ONCE):
            await asyncio.gather(*(self._ring(*each, HELD_QUEUE) for each in waiting[start : start + AT_ONCE]))

    async def release(self) -> float:
        """Let the workers have what is held, all in one moment; returns that moment."""
        async with self.database.write() as tx:
            now = self.database.dialect.now_ms()
            await tx.execute(update(outbox).where(outbox.c.state == State.PENDING).values(due_ms=now + 2000))
        released = time.monotonic()
        await self.redis.rename(HELD_QUEUE, QUEUE_NAME)
        return released

    async def worked_off(self) -> float:
        """Wait until the queue is empty and every turn flushed; returns the moment. A ring is gone once it is taken."""
        await self.emptied()
        await self.all_flushed()
        return time.monotonic()

    async def sent(self, flushes: int) -> float:
        """Wait until the Gateway has had so many flushes in all; returns the moment of the last."""
        await self.emptied()

        async def had() -> bool:
            return len(self.stub.times().flushes) >= flushes

        await wait_until(had, within_s=60, what="the last flush")
        return self.stub.times().flushes[-1]

    async def emptied(self) -> float:
        """Wait until the queue holds no job any more, and say how far it is; returns the moment."""
        told = time.monotonic()
        while left := await self.redis.zcard(QUEUE_NAME):
            if time.monotonic() - told > PROGRESS_S:
                progress(f"  {left} jobs to go")
                told = time.monotonic()
            await asyncio.sleep(0.01)
        return time.monotonic()

    async def all_flushed(self) -> None:
        """Wait until every turn has reached the end it should; fails when one does not."""

        async def flushed() -> bool:
            async with self.database.read() as tx:
                other = select(outbox.c.run_id).where(outbox.c.state.in_(set(State) - {State.FLUSHED})).limit(1)
                return (await tx.execute(other)).first() is None

        await wait_until(flushed, within_s=60, what="the end of every turn")

    async def ring(self, run_id: str) -> None:
        """Enqueue as a chat server does."""
        [(job_id, argument)] = rings([run_id]).items()
        await self._ring(job_id, argument, QUEUE_NAME)

    @asynccontextmanager
    async def workers(self, count: int, how: Start = WORKER) -> AsyncIterator[list[InstanceProcess]]:
        """That many worker processes, ready."""
        async with AsyncExitStack() as running:
            started = [
                running.enter_context(InstanceProcess(self.root, f"worker{number}", how)) for number in range(count)
            ]
            for each in started:
                await each.logged("worker.ready")
            yield started

    async def _ring(self, job_id: str, argument: Mapping[str, Any], queue: str) -> None:
        await self.redis.enqueue_job(PERSIST_FUNCTION, dict(argument), _job_id=job_id, _queue_name=queue)

    async def _fill(self, run_ids: Sequence[str]) -> None:
        now = int(time.time() * 1000)
        async with self.database.write() as tx:
            last = await tx.scalar(select(func.max(events.c.id))) or 0
            await tx.execute(
                insert(sessions), [{"id": f"s-{each}", "created_ms": now, "updated_ms": now} for each in run_ids]
            )
            await tx.execute(
                insert(events),
                [
                    {
                        "session_id": f"s-{each}",
                        "run_id": each,
                        "kind": "message",
                        "role": role,
                        "content": content,
                        "payload": {},
                        "context_visible": True,
                        "created_ms": now,
                    }
                    for each in run_ids
                    for role, content in (("user", PROMPT), ("assistant", ANSWER))
                ],
            )
            ids = {
                (row.run_id, row.role): row.id
                for row in await tx.execute(
                    select(events.c.id, events.c.run_id, events.c.role).where(events.c.id > last)
                )
            }
            turns = [(each, ids[each, "user"], ids[each, "assistant"]) for each in run_ids]
            await tx.execute(insert(outbox), [pending(*turn, now) for turn in turns])
            await tx.execute(insert(outbox_timeline), [_entered(each, now) for each in run_ids])


@asynccontextmanager
async def stages(kind: DatabaseKind, *, answer_ms: int = 0, jobs_at_once: int | None = None) -> AsyncIterator[Stage]:
    """A stage over an empty ledger of that kind. Everything is ended and removed at the end.

    The Gateway answers after `answer_ms`; a worker works on `jobs_at_once` turns, or as many as it does by default.
    """
    async with AsyncExitStack() as parts:
        valkey = parts.enter_context(running_valkey())
        stub = parts.enter_context(running_lean_stub(answer_ms=answer_ms))
        root = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        url = f"sqlite:///{root / 'sessions.db'}"
        if kind == "postgresql":
            server = parts.enter_context(running_postgres())
            url = server.url(await server.create_database())
        worker: dict[str, Any] = {"sweepSeconds": 5} | ({"maxJobs": jobs_at_once} if jobs_at_once else {})
        write_instance(root, database_url=url, redis_url=valkey.url, gateway_url=stub.url, worker=worker)
        database = Database.open(url)
        parts.push_async_callback(database.close)
        await ensure_schema(database, "beaver.db.migrations")
        redis = arq_redis(valkey.url, socket_timeout_s=10)
        parts.push_async_callback(redis.aclose, close_connection_pool=True)
        yield Stage(root, database, redis, valkey, stub)


def rings(run_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The jobs that a chat server would enqueue for these runs, by their ids."""
    jobs = [PersistJob(run_id=each, generation=0) for each in run_ids]
    return {job.job_id: job.model_dump() for job in jobs}


def pending(run_id: str, asked: int, answered: int, now: int) -> dict[str, object]:
    """A row of the ledger that waits, and that no relay looks at for an hour."""
    return {
        "run_id": run_id,
        "session_id": f"s-{run_id}",
        "position": answered,
        "user_event_id": asked,
        "answer_event_id": answered,
        "user_at_ms": now,
        "answer_at_ms": now,
        "gateway_user_id": "ada",
        "app_id": "default",
        "project_id": "default",
        "state": State.PENDING,
        "generation": 0,
        "attempt": 1,
        "fence": 0,
        "due_ms": now + FAR_MS,
        "created_ms": now,
        "updated_ms": now,
    }


def _entered(run_id: str, now: int) -> dict[str, object]:
    return {
        "run_id": run_id,
        "at_ms": now,
        "to_state": State.PENDING,
        "actor": "chat",
        "attempt": 1,
        "detail": {},
    }
