"""Chat servers with limits over one database and one Redis, and what is asked of them."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx

from beaver.agent.providers.scripted import Step
from beaver.db.engine import Database
from beaver.sessions.key_store import KeyStore
from beaver.sessions.keys import make_key
from tests.support.chat_server import CURATED, RunningChatServer, running_chat_server


class LimitedServers:
    """Starts servers that share what they count; they end with the stack."""

    def __init__(self, opened: AsyncExitStack, root: Path, database_url: str, redis_url: str) -> None:
        self._opened = opened
        self._root = root
        self._shared = {"sessions": {"databaseUrl": database_url}, "queue": {"redisUrl": redis_url}}

    async def start(self, name: str, *steps: Step, **server: Any) -> RunningChatServer:
        """One more server."""
        config = {**CURATED, **self._shared, "server": server}
        return await self._opened.enter_async_context(
            running_chat_server(self._root / name, steps, config=config, drain_s=0.1)
        )


async def add_key(database: Database, key_id: str, *scopes: str) -> dict[str, str]:
    """The header with a fresh key."""
    key, store = make_key(), KeyStore(database.dialect)
    async with database.write() as tx:
        await store.add(tx, key_id, key, name="n", scopes=frozenset(scopes), front_end=False, lifetime_ms=None)
    return {"Authorization": f"Bearer {key.secret}"}


async def ask(server: RunningChatServer, **headers: str) -> httpx.Response:
    """One question, in a session of its own."""
    body = {"messages": [{"role": "user", "content": "What do beavers do?"}]}
    return await server.client.post("/v1/chat/completions", json=body, headers=headers)


async def begin(server: RunningChatServer, session: str, **headers: str) -> httpx.Response:
    """Start a run by itself."""
    return await server.client.post(f"/v1/sessions/{session}/runs", json={"prompt": "Hello"}, headers=headers)


async def stop(server: RunningChatServer, started: httpx.Response) -> None:
    """Stop it."""
    response = await server.client.post(f"/v1/runs/{started.json()['id']}/stop")
    assert response.status_code == 202, response.text
