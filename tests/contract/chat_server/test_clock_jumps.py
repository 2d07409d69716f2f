"""A clock that is put forward, or a machine that wakes, ends no run that lives."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sqlalchemy import update

from beaver.agent.messages import TextDelta
from beaver.agent.providers.scripted import Pause
from beaver.db.tables import leases
from beaver.server.runs.upkeep import Upkeep
from tests.contract.chat_server.scene import visible
from tests.support.chat_server import RunningChatServer, running_chat_server
from tests.support.waiting import wait_until


async def put_forward(server: RunningChatServer) -> None:
    """What an hour does to every lease."""
    async with server.engine.database.write() as tx:
        await tx.execute(update(leases).values(expires_ms=1))


async def test_a_server_does_not_end_its_own_runs_for_leases_that_a_clock_has_ended(tmp_path: Path) -> None:
    speaks = (TextDelta("Beavers "), Pause(1), TextDelta("build dams."))
    async with running_chat_server(tmp_path, [speaks]) as server:

        async def is_speaking() -> bool:
            return bool(server.provider.requests)

        asked = asyncio.create_task(server.say("What do beavers do?", "s1"))
        await wait_until(is_speaking, what="the model to speak")
        await put_forward(server)
        await Upkeep(server.engine.database, server.runs).reap()
        assert (await asked).status_code == 200
        assert await visible(server, "s1") == [("user", "What do beavers do?"), ("assistant", "Beavers build dams.")]
