"""A session goes on without the server that held it: taken by force from one that is frozen, reaped from one that is dead."""

from __future__ import annotations

import asyncio
import signal

import psutil

from beaver.db.engine import Database
from beaver.errors import Unavailable
from tests.drills.chat_servers import BRIEF_LEASES, ChatProcess, chat_server
from tests.drills.scene import Scene
from tests.support.waiting import wait_until

NEVER = {"text": "never", "delay_ms": 600_000}
QUICK_ANSWER = {"text": "The quick answer."}
# Longer than the drill: what is taken over is taken by force.
LONG_LEASE = ("--lease-s", "300")


async def test_interrupt_takes_the_session_from_a_frozen_server_which_then_writes_nothing(scene: Scene) -> None:
    async with (
        chat_server(scene, "frozen", NEVER, BRIEF_LEASES, *LONG_LEASE) as frozen,
        chat_server(scene, "other", QUICK_ANSWER, BRIEF_LEASES, *LONG_LEASE, busyPolicy="interrupt") as other,
    ):
        old = await frozen.begin("Slowly?")
        await other.reaches(old, "running")
        await freeze(frozen, scene)
        new = await other.begin("Instead?")
        await other.reaches(new, "completed")
        assert await other.run(old) == ("cancelled", "superseded")
        told = (await other.client.get(f"/v1/runs/{old}/events")).text
        assert '"status": "cancelled"' in told
        stored = await events_of(scene)
        frozen.send(signal.SIGCONT)
        await frozen.ended_well()
        assert "server.runs_cut_off" not in frozen.log.read_text()
        assert await other.run(old) == ("cancelled", "superseded")
        assert await events_of(scene) == stored
        assert set(await scene.ledger.states()) == {new}


async def test_a_run_that_a_dead_server_left_is_ended_by_another_without_being_asked(scene: Scene) -> None:
    async with (
        chat_server(scene, "dead", NEVER) as dead,
        chat_server(scene, "other", QUICK_ANSWER) as other,
    ):
        left = await dead.begin("Anybody there?")
        await dead.reaches(left, "running")
        following = asyncio.create_task(other.client.get(f"/v1/runs/{left}/events"))
        dead.send(signal.SIGKILL)
        await dead.died()

        async def reaped() -> bool:
            async with scene.ledger.database.read() as tx:
                run = await scene.ledger.sessions.find_run(tx, left)
            return run is not None and (run.status, run.error_code) == ("failed", "crashed")

        await wait_until(reaped, within_s=60, what="the end of the crashed run")
        assert '"error": "crashed"' in (await following).text
        assert (await other.client.get("/v1/sessions/s-1")).status_code == 200
        await other.reaches(await other.begin("And now?"), "completed")
    assert left not in await scene.ledger.states()


async def freeze(server: ChatProcess, scene: Scene) -> None:
    """Stop a server while it writes nothing: on SQLite a writer that stands still holds up all others."""
    impatient = Database.open(scene.database_url, busy_budget_s=0.5)

    async def stopped_outside_a_write() -> bool:
        server.send(signal.SIGSTOP)
        await wait_until(lambda: stands_still(server), what="the frozen server")
        try:
            async with impatient.write():
                return True
        except Unavailable:
            server.send(signal.SIGCONT)
            return False

    try:
        await wait_until(stopped_outside_a_write, within_s=60, what="a server frozen outside a write")
    finally:
        await impatient.close()


async def stands_still(server: ChatProcess) -> bool:
    return psutil.Process(server.pid).status() == psutil.STATUS_STOPPED


async def events_of(scene: Scene) -> list[tuple[str | None, str, str]]:
    async with scene.ledger.database.read() as tx:
        return [(event.run_id, event.kind, event.content) for event in await scene.ledger.sessions.events(tx, "s-1")]
