"""Two chat servers over one database, and what the tests of both ask them."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from beaver.agent.providers.scripted import Step
from tests.support.chat_server import CURATED, RunningChatServer, running_chat_server
from tests.support.waiting import wait_until


class Servers:
    """Two chat servers over one database."""

    def __init__(self, opened: AsyncExitStack, root: Path, database_url: str) -> None:
        self._opened = opened
        self._root = root
        self._database_url = database_url

    async def start(self, *steps: Step, **server: Any) -> tuple[RunningChatServer, RunningChatServer]:
        """Both say the same."""
        config = {**CURATED, "sessions": {"databaseUrl": self._database_url}, "server": server}
        one, two = [
            await self._opened.enter_async_context(
                running_chat_server(self._root / name, steps, config=config, drain_s=0.1)
            )
            for name in ("one", "two")
        ]
        return one, two


@dataclass(frozen=True)
class Told:
    """One server-sent event."""

    id: int
    kind: str
    data: dict[str, Any]


async def begin(server: RunningChatServer, prompt: str = "Hello", session: str = "s-1", **headers: str) -> str:
    response = await server.client.post(f"/v1/sessions/{session}/runs", json={"prompt": prompt}, headers=headers)
    assert response.status_code == 202, response.text
    return str(response.json()["id"])


async def stream(server: RunningChatServer, run_id: str, after: int = 0) -> list[Told]:
    headers = {"Last-Event-ID": str(after)} if after else {}
    text = (await server.client.get(f"/v1/runs/{run_id}/events", headers=headers)).text
    blocks = [
        dict(line.split(": ", 1) for line in block.splitlines()) for block in text.split("\n\n") if "id: " in block
    ]
    return [Told(int(block["id"]), block["event"], json.loads(block["data"])) for block in blocks]


async def status_of(server: RunningChatServer, run_id: str) -> str:
    return str((await server.client.get(f"/v1/runs/{run_id}")).json()["status"])


async def until(server: RunningChatServer, run_id: str, status: str) -> None:
    async def reached() -> bool:
        return await status_of(server, run_id) == status

    await wait_until(reached, within_s=60, what=f"the run's {status}")


def words(told: list[Told]) -> str:
    return "".join(event.data["text"] for event in told if event.kind == "run.text")
