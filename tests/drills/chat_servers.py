"""Chat servers as processes of their own, each with a script for a model: frozen, killed and started again by drills."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx

from beaver.config.paths import InstancePaths
from beaver.embedded.probes import answers_http
from tests.drills import brief_lease_chat, mortal_chat
from tests.drills.scene import Scene
from tests.support.forking import Program
from tests.support.http import loopback_client
from tests.support.ports import free_ports
from tests.support.processes import InstanceProcess
from tests.support.waiting import wait_until

BRIEF_LEASES = brief_lease_chat.main
MORTAL = mortal_chat.main


@dataclass(frozen=True)
class ChatProcess:
    """A chat server that answers, and a client of it."""

    server: InstanceProcess
    client: httpx.AsyncClient

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return self.server.log

    @property
    def pid(self) -> int:
        """The process's number."""
        return self.server.pid

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    async def died(self) -> None:
        """Wait until it has been killed."""
        await self.server.died()

    async def ended_well(self) -> None:
        """Tell it to end, and wait until it has drained."""
        self.server.terminate()
        assert await self.server.ended() == 0

    async def begin(self, prompt: str) -> str:
        """Begin a run in the session s-1; gives its id."""
        response = await self.client.post("/v1/sessions/s-1/runs", json={"prompt": prompt})
        assert response.status_code == 202, response.text
        return str(response.json()["id"])

    async def run(self, run_id: str) -> tuple[str, str | None]:
        """A run's status and error."""
        found = (await self.client.get(f"/v1/runs/{run_id}")).json()
        return found["status"], found["error"]

    async def reaches(self, run_id: str, status: str) -> None:
        """Wait until a run has this status."""

        async def reached() -> bool:
            return (await self.run(run_id))[0] == status

        await wait_until(reached, within_s=40, what=f"the run's {status}")

    async def visible(self, session: str) -> list[tuple[str, str]]:
        """(role, text) of a session's messages."""
        found = (await self.client.get(f"/v1/sessions/{session}/messages")).json()["data"]
        return [(message["role"], message["content"]) for message in found]


@asynccontextmanager
async def chat_server(
    scene: Scene, name: str, step: dict[str, Any], program: Program = BRIEF_LEASES, *options: str, **server: Any
) -> AsyncIterator[ChatProcess]:
    """A server in a folder of its own, whose model plays `step`."""
    root = scene.root / name
    (port,) = free_ports(1)
    there = replace(scene, root=root)
    there.write(server={"port": port, **server})
    path = InstancePaths.at(root).config
    provider = {"kind": "scripted", "script": "script.json"}
    path.write_text(json.dumps({**json.loads(path.read_text()), "provider": provider}))
    (root / "script.json").write_text(json.dumps([step]))
    with there.worker("chat", *options, program=program) as process:

        async def serves() -> bool:
            assert process.is_alive(), process.log.read_text()[-3000:]
            return await answers_http("127.0.0.1", port, "/ready")

        await wait_until(serves, within_s=60, what="the chat server")
        async with loopback_client(f"http://127.0.0.1:{port}", timeout=60) as client:
            yield ChatProcess(process, client)
