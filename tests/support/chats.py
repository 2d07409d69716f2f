"""A chat server and a worker over one session database, in this process, and all that they do: for somebody or by themselves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import select, update

from beaver.cli.local_memory.opening import open_local_store
from beaver.config.loader import load_settings
from beaver.config.memory import gateway_of
from beaver.config.paths import InstancePaths
from beaver.db.engine import Database
from beaver.db.tables import memory_turns, outbox
from beaver.schemas.jobs import PersistJob
from beaver.server.runs.upkeep import Upkeep
from beaver.sessions.memory.turn_store import DAY_MS
from tests.support.chat_server import RunningChatServer, running_chat_server
from tests.support.engine import says
from tests.support.gateway_stub import running_gateway_stub
from tests.support.valkey import ValkeyServer
from tests.support.worker_instance import write_instance
from worker.parts import Parts, open_parts

LONG: Final = "long"
"""The session that grows."""
_POLICY: Final = {"localStore": True, "writePolicy": "write", "recallPolicy": "gated", "embedding": "none"}


@dataclass
class Chats:
    """A chat server and a worker over one database."""

    server: RunningChatServer
    parts: Parts

    @property
    def databases(self) -> tuple[Database, Database]:
        """Of the server and of the worker."""
        return self.server.engine.database, self.parts.database

    async def disconnect(self) -> None:
        """Close all connections; new ones come by themselves."""
        for database in self.databases:
            await database.engine.dispose()

    async def all(self) -> None:
        """Everything, once."""
        await self.chat()
        await self.look()
        await self.watch()

    async def grow(self, turns: int) -> None:
        """Each turn has a key, and is remembered at once."""
        for number in range(turns):
            await asyncio.gather(*(self._ask(session, f"{session}-{number}") for session in (LONG, f"other-{number}")))
            await self.deliver()
        async with self.parts.database.write() as tx:  # what was kept today counts against a quota
            await tx.execute(update(memory_turns).values(at_ms=memory_turns.c.at_ms - 2 * DAY_MS))

    async def deliver(self) -> None:
        """What waits, as a worker that was rung."""
        async with self.parts.database.read() as tx:
            waiting = (await tx.scalars(select(outbox.c.run_id).where(outbox.c.state == "pending"))).all()
        for run_id in waiting:
            await self.parts.persister.persist(PersistJob(run_id=run_id, generation=0))

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
async def chats(root: Path, valkey: ValkeyServer, url: str) -> AsyncIterator[Chats]:
    """Over an empty session database, beside a Gateway's stub."""
    async with running_gateway_stub() as stub:
        write_instance(root, database_url=url, redis_url=valkey.url, gateway_url=stub.url)
        config = json.loads((root / ".beaver/config.json").read_text())
        config["memory"]["policy"] = _POLICY
        settings = load_settings(InstancePaths.at(root), {})
        gateway = gateway_of(settings.memory)
        assert gateway is not None
        async with (
            running_chat_server(root, [says("Beavers do.")], config=config, open_items=open_local_store) as server,
            open_parts(settings, gateway, lambda: False) as parts,
        ):
            yield Chats(server, parts)
