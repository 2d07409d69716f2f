"""Our Memory Gateway for tests: over a real socket inside the test's loop, or as a process of its own that can be killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import httpx
import uvicorn
from pydantic import SecretStr

from beaver.embedded.probes import answers_http
from beaver.gateway.app import create_app
from beaver.gateway.serve import bind, server_config
from beaver.gateway.transports.http import BODY_BYTES_MAX
from beaver.memory.runtime import MemoryRuntime
from tests.support.gateway_nursery import Forked, GatewayNursery
from tests.support.http import loopback_client
from tests.support.ports import free_ports
from tests.support.waiting import wait_until

ALL_SCOPES = ["current_chat", "resources", "all_user_memory"]
MORNING_MS = 1_780_000_000_000


@dataclass(frozen=True)
class GatewayUser:
    """One user's calls to a Gateway, with the bodies that a client sends."""

    http: httpx.AsyncClient
    user_id: str
    user_key: str

    async def call(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        identity = {"user_id": self.user_id, "user_key": self.user_key, "app_id": "default", "project_id": "default"}
        return await self.http.post(path, json={**identity, **body}, headers=dict(headers or {}))

    async def asked(self, method: str, path: str, **more: Any) -> httpx.Response:
        """A call whose credentials stand in its headers."""
        headers = {"Authorization": f"Bearer {self.user_key}", "X-User-Id": self.user_id, **more.pop("headers", {})}
        return await self.http.request(method, path, headers=headers, **more)

    async def add(
        self, session: str, *contents: str, key: str | None = None, at_ms: int = MORNING_MS
    ) -> httpx.Response:
        messages = [
            {
                "sender_id": self.user_id if number % 2 == 0 else "beaver",
                "role": "user" if number % 2 == 0 else "assistant",
                "timestamp": at_ms,
                "content": content,
            }
            for number, content in enumerate(contents)
        ]
        headers = {"Idempotency-Key": key} if key else {}
        return await self.call("/memories/add", {"session_id": f"chat:{session}", "messages": messages}, headers)

    async def flush(self, session: str) -> httpx.Response:
        return await self.call("/memories/flush", {"session_id": f"chat:{session}"})

    async def search(
        self, query: str, *, session: str = "elsewhere", scope: list[str] | None = None, top_k: int = 8
    ) -> list[dict[str, Any]]:
        body = {"conversation_id": session, "query": query, "scope": scope or ALL_SCOPES, "top_k": top_k}
        response = await self.call("/memories/search", body)
        assert response.status_code == 200, response.text
        return cast("list[dict[str, Any]]", response.json()["results"])

    async def texts(self, query: str, **where: Any) -> list[str]:
        return [result["text"] for result in await self.search(query, **where)]


async def new_user(http: httpx.AsyncClient, user_id: str | None = None) -> GatewayUser:
    """A fresh user, made through the API."""
    response = await http.post("/users", json={} if user_id is None else {"user_id": user_id})
    assert response.status_code == 200, response.text
    return GatewayUser(http, response.json()["user_id"], response.json()["user_key"])


@asynccontextmanager
async def running_gateway(
    database_url: str,
    *,
    admin_key: str | None = None,
    trust_loopback: bool = True,
    body_bytes_max: int = BODY_BYTES_MAX,
    rate_per_minute: int | None = None,
) -> AsyncIterator[httpx.AsyncClient]:
    """A Gateway listening on a free port of this machine; gives a client for it."""
    runtime = await MemoryRuntime.open(database_url)
    app = create_app(
        runtime,
        admin_key=None if admin_key is None else SecretStr(admin_key),
        trust_loopback=trust_loopback,
        body_bytes_max=body_bytes_max,
        rate_per_minute=rate_per_minute,
    )
    with bind("127.0.0.1", 0) as listener:
        server = uvicorn.Server(server_config(app))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        try:
            async with loopback_client(url) as http:
                yield http
        finally:
            server.should_exit = True
            await serving
            await runtime.close()


class GatewayProcess:
    """`serve()` in a process of its own, over an instance folder; without an encoder, unless a test is about that."""

    def __init__(
        self,
        root: Path,
        *,
        embedding: str = "none",
        database_url: str | None = None,
        nursery: GatewayNursery | None = None,
    ) -> None:
        self.root = root
        self._nursery = nursery
        self._database = {} if database_url is None else {"databaseUrl": database_url}
        self.embedding = embedding
        self.port = free_ports(1)[0]
        self.log = root / "gateway.log"
        self._process: subprocess.Popen[bytes] | Forked | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Its number, once started."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start and wait until it answers."""
        home = self.root / ".beaver"
        home.mkdir(parents=True, exist_ok=True)
        section = {"port": self.port, "embedding": {"provider": self.embedding}, **self._database}
        (home / "config.json").write_text(json.dumps({"gatewayServer": section}))
        program = (
            "import sys\n"
            "from beaver.config.loader import load_settings\n"
            "from beaver.config.paths import InstancePaths\n"
            "from beaver.gateway.serve import serve\n"
            "serve(load_settings(InstancePaths.at(sys.argv[1]), {}))\n"
        )
        if self._nursery is None:
            self._process = self._launch(program)
        else:
            self._process = await self._nursery.launch(self.root, self.log)
        await wait_until(self._answers, within_s=60, what="the Gateway answering")

    def _launch(self, program: str) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen([sys.executable, "-c", program, str(self.root)], stdout=log, stderr=log)

    def kill(self) -> None:
        """SIGKILL, and wait."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """SIGTERM, and wait; returns the exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, number: int) -> int:
        if self._process is None:
            return 0
        os.kill(self._process.pid, number)
        code = self._process.wait(15)
        self._process = None
        return code

    async def _answers(self) -> bool:
        return await answers_http("127.0.0.1", self.port, "/health")


@asynccontextmanager
async def gateway_process(
    root: Path,
    *,
    embedding: str = "none",
    database_url: str | None = None,
    nursery: GatewayNursery | None = None,
) -> AsyncIterator[GatewayProcess]:
    """A started process, out of a nursery where one is given, ended at the end."""
    process = GatewayProcess(root, embedding=embedding, database_url=database_url, nursery=nursery)
    try:
        await process.start()
        yield process
    finally:
        process.kill()
