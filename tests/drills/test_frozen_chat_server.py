"""SIGSTOP of a chat server past its lease, then SIGCONT: its run has been taken over, and it neither writes nor persists."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from beaver.config.paths import InstancePaths
from beaver.embedded.probes import answers_http
from tests.drills.scene import Scene
from tests.support.ports import free_ports
from tests.support.waiting import wait_until

SLOW_ANSWER = {"text": "slow " * 30, "delay_ms": 100}
QUICK_ANSWER = {"text": "The quick answer."}


async def test_a_thawed_server_neither_writes_nor_persists(postgres_scene: Scene) -> None:
    ports = free_ports(2)
    async with (
        chat_server(postgres_scene, "frozen", ports[0], SLOW_ANSWER) as frozen,
        chat_server(postgres_scene, "other", ports[1], QUICK_ANSWER),
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{ports[0]}", trust_env=False, timeout=30) as there,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{ports[1]}", trust_env=False, timeout=30) as here,
    ):
        old = await begin(there, "Slowly?")
        await reaches(here, old, "running")
        frozen.send_signal(signal.SIGSTOP)
        new = await begin(here, "Quickly?")
        await reaches(here, new, "completed")
        assert await run(here, old) == ("failed", "crashed")
        told = await events_at(postgres_scene)
        frozen.send_signal(signal.SIGCONT)
        await ended_there(frozen, postgres_scene)
        assert await run(here, old) == ("failed", "crashed")
        assert await events_at(postgres_scene) == told
        assert set(await postgres_scene.ledger.states()) == {new}


@asynccontextmanager
async def chat_server(
    scene: Scene, name: str, port: int, step: dict[str, Any]
) -> AsyncIterator[asyncio.subprocess.Process]:
    root = scene.root / name
    replace(scene, root=root).write(server={"port": port})
    path = InstancePaths.at(root).config
    provider = {"kind": "scripted", "script": "script.json"}
    path.write_text(json.dumps({**json.loads(path.read_text()), "provider": provider}))
    (root / "script.json").write_text(json.dumps([step]))
    command = (sys.executable, "-m", "tests.drills.brief_lease_chat", str(root))
    with log_of(root).open("wb") as log:
        process = await asyncio.create_subprocess_exec(*command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:

        async def serves() -> bool:
            return await answers_http("127.0.0.1", port, "/ready")

        await wait_until(serves, within_s=60, what="the chat server")
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def log_of(root: Path) -> Path:
    return root / "chat.log"


async def begin(client: httpx.AsyncClient, prompt: str) -> str:
    response = await client.post("/v1/sessions/s-1/runs", json={"prompt": prompt})
    assert response.status_code == 202, response.text
    return str(response.json()["id"])


async def run(client: httpx.AsyncClient, run_id: str) -> tuple[str, str | None]:
    found = (await client.get(f"/v1/runs/{run_id}")).json()
    return found["status"], found["error"]


async def reaches(client: httpx.AsyncClient, run_id: str, status: str) -> None:
    async def reached() -> bool:
        return (await run(client, run_id))[0] == status

    await wait_until(reached, within_s=30, what=f"the run's {status}")


async def events_at(scene: Scene) -> list[tuple[str | None, str, str]]:
    async with scene.ledger.database.read() as tx:
        return [(event.run_id, event.kind, event.content) for event in await scene.ledger.sessions.events(tx, "s-1")]


async def ended_there(frozen: asyncio.subprocess.Process, scene: Scene) -> None:
    """The thawed server drains, which leaves its run all the time it wants, and ends; the run did not complete."""
    frozen.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(frozen.wait(), 60) == 0
    told = log_of(scene.root / "frozen").read_text()
    assert "server.runs_cut_off" not in told
    assert "run.completed" not in told
