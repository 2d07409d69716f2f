"""A chat server on a free port, over a real engine with a scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from beaver.agent.loader import EngineLoader, EngineLoadResult, OpenItems, no_items
from beaver.agent.providers.scripted import ScriptedProvider, Step
from beaver.config.chat_needs import needs_keys
from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.server.app import create_app
from beaver.server.guard.quotas import Quotas
from beaver.server.guard.security import hosts_of
from beaver.server.runs.registry import RunRegistry
from beaver.server.serve import ChatServer, listen, server_config
from beaver.server.telemetry.registry import Telemetry
from tests.support.databases import put_session_database
from tests.support.http import loopback_client
from tests.support.waiting import wait_until

CURATED = {"memory": {"mode": "curated"}}


@dataclass
class RunningChatServer:
    """The server, its engine and model, and a client of it."""

    url: str
    client: httpx.AsyncClient
    engine: EngineLoadResult
    runs: RunRegistry
    provider: ScriptedProvider

    async def say(self, text: Any, session: str | None = None, **further: Any) -> httpx.Response:
        """Post one user message."""
        headers = {} if session is None else {"X-Beaver-Session": session}
        body = {"messages": [{"role": "user", "content": text}], **further}
        return await self.client.post("/v1/chat/completions", json=body, headers=headers)

    async def stream(self, text: str, session: str | None = None, **further: Any) -> Streamed:
        """The same, streamed and read to the end."""
        response = await self.say(text, session, stream=True, **further)
        return Streamed(response, response.text)


@dataclass
class Streamed:
    """A stream as it came over the wire."""

    response: httpx.Response
    text: str

    @property
    def data(self) -> list[str]:
        """What stands behind each `data: `."""
        return [line.removeprefix("data: ") for line in self.text.splitlines() if line.startswith("data: ")]

    @property
    def chunks(self) -> list[dict[str, Any]]:
        """The JSON ones."""
        return [json.loads(data) for data in self.data if data != "[DONE]"]

    @property
    def content(self) -> str:
        """The answer, put together."""
        choices = [choice for chunk in self.chunks for choice in chunk.get("choices", [])]
        return "".join(choice["delta"].get("content", "") for choice in choices)


@asynccontextmanager
async def running_chat_server(
    root: Path,
    steps: Iterable[Step],
    *,
    config: Mapping[str, Any] = CURATED,
    delay_s: float = 0,
    drain_s: float = 30,
    open_items: OpenItems = no_items,
) -> AsyncIterator[RunningChatServer]:
    """Serve for the length of the block."""
    settings = parse_settings(InstancePaths.at(root), config, {})
    put_session_database(settings.sessions_url)
    telemetry, provider = Telemetry(), ScriptedProvider(steps, delay_s=delay_s)
    engine = await EngineLoader(settings, provider=provider, observer=telemetry.peers, open_items=open_items).load()
    app = create_app(
        engine,
        drain_s=drain_s,
        runs_max=settings.server.runs_max,
        session_headers=settings.server.session_headers,
        busy_policy=settings.server.busy_policy,
        on_disconnect=settings.server.on_disconnect,
        require_keys=needs_keys(settings.server),
        hosts=hosts_of(settings.server),
        cors_origins=settings.server.cors_origins,
        # A limit that a crowded machine is late to count is not kept, which is no truth of a test.
        quotas=Quotas.open(settings, answer_s=10, refused=telemetry.runs.refused),
        telemetry=telemetry,
    )
    listener = listen(settings.server.model_copy(update={"port": 0}))
    server = ChatServer(server_config(app, trusted_proxies=settings.server.trusted_proxies), app.state.runs)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:

        async def started() -> bool:
            return server.started

        await wait_until(started, what="the chat server")
        async with loopback_client(url) as client:
            yield RunningChatServer(url, client, engine, app.state.runs, provider)
    finally:
        server.should_exit = True
        await serving
        await engine.aclose()
