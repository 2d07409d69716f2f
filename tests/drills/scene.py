"""The stage of a drill: a ledger with completed turns, a queue server and a Gateway of its own, and the check at the end."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import func, select, text, update

from beaver.client.jobs import PersistQueue
from beaver.config.loader import load_settings
from beaver.config.memory import gateway_of
from beaver.config.paths import InstancePaths
from beaver.db.engine import Transaction
from beaver.db.tables import UNFINISHED, outbox
from beaver.outbox.states import State
from beaver.outbox.turns import NewTurn
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from beaver.schemas.jobs import PersistJob
from beaver.sessions.records import MESSAGE, NewEvent
from tests.drills import mortal_worker
from tests.support.forking import Program
from tests.support.gateway_stub import GatewayStub
from tests.support.ledger import USER_KEY, Ledger
from tests.support.ledger_checks import check_invariants, check_nothing_leaked, left_in_queue
from tests.support.processes import InstanceProcess, forking
from tests.support.valkey import ValkeyServer
from tests.support.waiting import wait_until
from tests.support.worker_instance import write_instance
from worker.parts import Parts, open_parts

CANARY = "vermilion-heron"
ASKED_AT_MS = 1_780_000_000_000


@dataclass
class Scene:
    """Everything a worker needs, and the parts to look at it from outside."""

    root: Path
    ledger: Ledger
    queue: PersistQueue
    stub: GatewayStub
    valkey: ValkeyServer
    database_url: str
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def write(self, **changes: Any) -> None:
        """Write the configuration anew. A dead worker's claim runs out 2.5 s and two call timeouts after its last move."""
        places = {"database_url": self.database_url, "redis_url": self.valkey.url, "gateway_url": self.stub.url}
        server = changes.pop("server", None)
        write_instance(self.root, **{**places, **changes})
        if server is not None:
            path = InstancePaths.at(self.root).config
            path.write_text(json.dumps({**json.loads(path.read_text()), "server": server}))

    def worker(self, name: str = "worker", *options: str, program: Program = mortal_worker.main) -> InstanceProcess:
        """A worker process, not started; for its options see mortal_worker.py, or its program."""
        return InstanceProcess(self.root, name, forking(program, *options), heard_within_s=40, ended_within_s=60)

    @asynccontextmanager
    async def parts(self, draining: Callable[[], bool] = lambda: False) -> AsyncIterator[Parts]:
        """A worker's parts inside this process, without arq."""
        settings = load_settings(InstancePaths.at(self.root), {})
        gateway = gateway_of(settings.memory)
        assert gateway is not None
        async with open_parts(settings, gateway, draining) as parts:
            yield parts

    async def complete(self, *session_ids: str) -> list[str]:
        """Complete one run in each of the sessions named, in one transaction; returns the run ids. Rings nobody."""
        async with self.ledger.database.write() as tx:
            return [await self._complete(tx, session_id) for session_id in session_ids]

    async def _complete(self, tx: Transaction, session_id: str) -> str:
        """The prompt, then all that a run's completion writes."""
        run_id = f"run_{next(self._numbers):06d}"
        sessions = self.ledger.sessions
        await sessions.ensure_session(tx, session_id)
        await sessions.start_run(tx, run_id, session_id, fence=1, provider="offline", model="offline")
        asked = await sessions.append(tx, session_id, run_id, NewEvent(MESSAGE, f"{CANARY} asks {run_id}", "user"))
        answer = NewEvent(MESSAGE, f"{CANARY} says {run_id}", "assistant")
        answered = await sessions.append(tx, session_id, run_id, answer)
        await sessions.end_run(tx, run_id, "completed", stop_reason="end")
        turn = NewTurn(
            run_id, session_id, asked, answered, ASKED_AT_MS, ASKED_AT_MS + 1000, "ada", "default", "default"
        )
        await self.ledger.store.insert(tx, turn)
        return run_id

    async def ring(self, *run_ids: str, generation: int = 0) -> None:
        """What the chat server does after its commit; a queue that does not take it is nobody's trouble."""
        for run_id in run_ids:
            await self.queue.enqueue(PersistJob(run_id=run_id, generation=generation))

    async def reaches(self, run_id: str, *states: State) -> None:
        """Wait until a turn stands in one of them."""

        async def reached() -> bool:
            return await self.ledger.state(run_id) in states

        await wait_until(reached, within_s=60, what=f"{run_id} in {states}")

    async def adds(self, count: int) -> None:
        """Wait until the Gateway has received so many adds."""

        async def seen() -> bool:
            return len(self.stub.seen(ADD_PATH)) >= count

        await wait_until(seen, within_s=60, what=f"{count} adds at the Gateway")

    async def run_out(self) -> None:
        """Let every claim run out now: whoever holds one is dead. The relay's patience ends as well."""
        async with self.ledger.database.write() as tx:
            held = outbox.c.claim_expires_ms.is_not(None)
            await tx.execute(update(outbox).where(text(UNFINISHED), held).values(claim_expires_ms=1))
            await tx.execute(update(outbox).where(text(UNFINISHED)).values(due_ms=1))

    async def unfinished(self) -> int:
        """How many turns are on their way."""
        async with self.ledger.database.read() as tx:
            return int(await tx.scalar(select(func.count()).select_from(outbox).where(text(UNFINISHED))) or 0)

    async def all_end(self, *, within_s: float = 90) -> None:
        """Wait until no turn is on its way."""

        async def ended() -> bool:
            return await self.unfinished() == 0

        await wait_until(ended, within_s=within_s, what="the end of every turn")

    async def queue_is_empty(self) -> None:
        """Wait until workers have put the last ring away."""

        async def empty() -> bool:
            return not left_in_queue(self.valkey)

        try:
            await wait_until(empty, within_s=40, what="an empty queue")
        except AssertionError:
            raise AssertionError(f"left in the queue: {left_in_queue(self.valkey)[:10]}") from None

    async def holds(self, *, within_s: float = 90, ordered: bool = True) -> Counter[tuple[State, str | None]]:
        """The check after every drill, under a worker that still runs: all ended, all promises kept; counts the ends."""
        await self.all_end(within_s=within_s)
        await self.queue_is_empty()
        counted = await check_invariants(self.ledger, self.stub, ordered=ordered)
        await check_nothing_leaked(self.ledger, self.valkey, self.root.glob("*.log"), (USER_KEY, CANARY))
        return counted

    def calls(self) -> tuple[int, int]:
        """How many adds and flushes the Gateway has seen."""
        return len(self.stub.seen(ADD_PATH)), len(self.stub.seen(FLUSH_PATH))
