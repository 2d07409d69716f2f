"""A writer over a real local store and session database, with a way to the Gateway whose queue is away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sqlalchemy import select

from beaver.agent.policy.candidates import Candidate
from beaver.agent.policy.commands import MemoryCommands
from beaver.agent.policy.denylist import Denylist
from beaver.agent.policy.lane import DistilledLane
from beaver.agent.policy.stores import Owner
from beaver.agent.policy.tally import WriteMode
from beaver.agent.policy.writer import FinishedTurn, ItemWriter
from beaver.cli.local_memory.attributes import ATTRIBUTES
from beaver.cli.local_memory.capture import rule_capture
from beaver.cli.local_memory.store import LocalItemStore
from beaver.client.jobs import PersistQueue
from beaver.db.engine import Database
from beaver.db.tables import distilled_outbox
from beaver.memory.runtime import MemoryRuntime
from beaver.redaction import Redactor
from beaver.sessions.memory.turn_store import GatedTurn
from beaver.sessions.store import SessionStore
from tests.support.ledger import gateway_settings

OWNER = Owner("default", "default", "ada", "s1")
LINTER = "Always run the linter before you commit"


@dataclass
class Desk:
    """A writer over a real local store and session database."""

    store: LocalItemStore
    database: Database
    lane: DistilledLane
    turns: int = 0

    def writer(self, mode: WriteMode = "write", denylist: Denylist | None = None) -> ItemWriter:
        return ItemWriter(
            self.store,
            self.database,
            mode=mode,
            denylist=denylist or Denylist(),
            credentials=Redactor(),
            attributes=ATTRIBUTES,
            lane=self.lane,
        )

    async def say(self, said: str, mode: WriteMode = "write", owner: Owner = OWNER) -> GatedTurn:
        return await self.keep(*rule_capture(said), said=said, mode=mode, owner=owner)

    async def keep(
        self, *candidates: Candidate, said: str = "", mode: WriteMode = "write", owner: Owner = OWNER
    ) -> GatedTurn:
        self.turns += 1
        turn = FinishedTurn(owner, f"run_{self.turns}", "stop", said, (), candidates)
        return await self.writer(mode).keep(turn)

    def commands(self, owner: Owner = OWNER) -> MemoryCommands:
        return MemoryCommands(self.database, self.store, owner)

    async def texts(self, owner: Owner = OWNER) -> list[str]:
        return sorted(item.text for item in await self.store.recent(owner, limit=50))

    async def sent(self) -> list[str]:
        async with self.database.read() as tx:
            return sorted((await tx.execute(select(distilled_outbox.c.content))).scalars())


@asynccontextmanager
async def desk_over(memory_url: str, database: Database) -> AsyncIterator[Desk]:
    store = LocalItemStore(await MemoryRuntime.open(memory_url))
    queue = PersistQueue.open("unix:///nowhere/queue.sock", timeout_ms=50)
    lane = DistilledLane(database.dialect, queue, gateway_settings("http://127.0.0.1:9"))
    async with database.write() as tx:
        for session_id in ("s1", "s2"):
            await SessionStore(database.dialect).ensure_session(tx, session_id)
    yield Desk(store, database, lane)
    await lane.aclose()
    await store.close()
