"""What a chat costs the session database does not grow with what is stored already: counted by SQLite itself, not by the clock.

Of all that a chat server or a worker does, for somebody or by itself: the longest execution of each statement, beside a few
turns and beside ten times as many.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from beaver import counting
from beaver.cli.local_memory.opening import open_local_store
from beaver.config.loader import load_settings
from beaver.config.memory import gateway_of
from beaver.config.paths import InstancePaths
from beaver.db.fulltext import FORGET_DELETED_SQLITE
from beaver.db.tables import memory_turns, outbox
from beaver.schemas.jobs import PersistJob
from beaver.server.runs.upkeep import Upkeep
from beaver.sessions.memory import turn_store
from tests.support.chat_server import RunningChatServer, running_chat_server
from tests.support.engine import says
from tests.support.gateway_stub import running_gateway_stub
from tests.support.statement_work import Work, work_of
from tests.support.valkey import ValkeyServer
from tests.support.worker_instance import write_instance
from worker.parts import Parts, open_parts

FEW = 4
MANY = 10 * FEW
"""Turns of one session, and as many other sessions of one turn each."""
GROWTH_MAX = 2
SMALL = 5
"""Steps of ten instructions that no growth counts for: an index grows a level."""
POLICY = {"localStore": True, "writePolicy": "write", "recallPolicy": "gated", "embedding": "none"}
LONG = "long"
"""The session that grows."""


@dataclass
class Chats:
    """A chat server and a worker over one database."""

    server: RunningChatServer
    parts: Parts
    works: list[Work] = field(default_factory=list)

    async def grow(self, turns: int) -> None:
        """Each turn has a key, and is remembered at once."""
        for number in range(turns):
            await asyncio.gather(*(self._ask(session, f"{session}-{number}") for session in (LONG, f"other-{number}")))
            await self.deliver()
        async with self.parts.database.write() as tx:  # what was kept today counts against a quota
            await tx.execute(update(memory_turns).values(at_ms=memory_turns.c.at_ms - 2 * turn_store.DAY_MS))

    async def deliver(self) -> None:
        """What waits, as a worker that was rung."""
        async with self.parts.database.read() as tx:
            waiting = (await tx.scalars(select(outbox.c.run_id).where(outbox.c.state == "pending"))).all()
        for run_id in waiting:
            await self.parts.persister.persist(PersistJob(run_id=run_id, generation=0))

    async def begin(self) -> None:
        """Count from now on."""
        for database in (self.server.engine.database, self.parts.database):
            self.works.append(work_of(database))
            await database.engine.dispose()  # what is connected anew is counted

    def longest(self) -> Counter[str]:
        """What each statement took at most."""
        cost = Counter[str]()
        for work in self.works:
            for statement, steps in work.longest.items():
                said = " ".join(statement.split())
                cost[said] = max(cost[said], steps)
        return cost

    async def chat(self) -> None:
        """What somebody who chats asks for: a turn, the same again, a new session, a history sent along, a run."""
        for session, key in ((LONG, "measured"), (LONG, "measured"), ("new", "measured-too")):
            await self._ask(session, key)
        await self._resend()
        await self.deliver()
        run = await self._post(f"/v1/sessions/{LONG}/runs", {"prompt": "And now?"})
        await self._get(f"/v1/runs/{run['id']}/events", f"/v1/runs/{run['id']}")

    async def look(self) -> None:
        """What somebody looks at, switches and deletes."""
        looks = ("", "/messages?limit=5", "/events?limit=5", "/memory/items", "/memory/why")
        await self._get("/v1/sessions?limit=5", *(f"/v1/sessions/{LONG}{each}" for each in looks))
        for line in ("/memory off", "/memory on"):
            await self._post(f"/v1/sessions/{LONG}/memory/command", {"line": line})
        assert (await self.server.client.delete("/v1/sessions/new")).is_success

    async def watch(self) -> None:
        """What both do by themselves, and monitors ask again and again."""
        upkeep = Upkeep(self.server.engine.database, self.server.runs)
        for act in (upkeep.stop_runs, upkeep.reap, upkeep.prune, self.parts.sweeper.sweep, self.parts.heart.stop):
            await act()
        await self._get("/ready", "/health/detail", "/metrics")

    async def _ask(self, session: str, key: str) -> None:
        said = f"We decided to paint wall {key} in green. Who paints it?"
        body = {"messages": [{"role": "user", "content": said}]}
        await self._post("/v1/chat/completions", body, {"X-Beaver-Session": session, "Idempotency-Key": key})

    async def _resend(self) -> None:
        said = [("user", "Who paints?"), ("assistant", "Beavers."), ("user", "What?")]
        await self._post("/v1/chat/completions", {"messages": [{"role": who, "content": what} for who, what in said]})

    async def _post(self, path: str, body: Any, headers: Any = None) -> Any:
        response = await self.server.client.post(path, json=body, headers=headers)
        assert response.is_success, response.text
        return response.json()

    async def _get(self, *paths: str) -> None:
        for path in paths:
            assert (await self.server.client.get(path)).is_success, path


@asynccontextmanager
async def chats(root: Path, valkey: ValkeyServer) -> AsyncIterator[Chats]:
    async with running_gateway_stub() as stub:
        url = f"sqlite:///{root / 'sessions.db'}"
        write_instance(root, database_url=url, redis_url=valkey.url, gateway_url=stub.url)
        config = json.loads((root / ".beaver/config.json").read_text())
        config["memory"]["policy"] = POLICY
        settings = load_settings(InstancePaths.at(root), {})
        gateway = gateway_of(settings.memory)
        assert gateway is not None
        async with (
            running_chat_server(root, [says("Beavers do.")], config=config, open_items=open_local_store) as server,
            open_parts(settings, gateway, lambda: False) as parts,
        ):
            yield Chats(server, parts)


async def cost_beside(root: Path, valkey: ValkeyServer, turns: int) -> Counter[str]:
    """By statement."""
    async with chats(root / str(turns), valkey) as made:
        await made.grow(turns)
        await made.server.client.get("/metrics")  # counts what there is
        await made.begin()
        await made.chat()
        await made.look()
        await made.watch()
        return made.longest()


async def test_nothing_that_is_done_again_and_again_looks_at_all_that_is_stored(
    tmp_path: Path, valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What needs nobody is counted now and then, and all of it each time.
    monkeypatch.setattr(counting, "QUICK_S", 0)
    monkeypatch.setattr(counting, "KEPT_TIMES", float("inf"))
    # What is looked at up to a bound: with a few turns it is reached.
    for bound in ("WINDOW_TURNS", "SUMMED_TURNS_MAX"):
        monkeypatch.setattr(turn_store, bound, FEW)
    few, many = [await cost_beside(tmp_path, valkey, turns) for turns in (FEW, MANY)]

    grown = {of: (few[of], steps) for of, steps in many.items() if steps > GROWTH_MAX * few[of] + SMALL}

    assert grown.keys() <= set(FORGET_DELETED_SQLITE)
