"""SIGSTOP of a chat server past its lease, then SIGCONT: its run has been taken over, and it neither writes nor persists."""

from __future__ import annotations

import signal

from tests.drills.chat_servers import ChatProcess, chat_server
from tests.drills.scene import Scene

SLOW_ANSWER = {"text": "slow " * 30, "delay_ms": 100}
QUICK_ANSWER = {"text": "The quick answer."}


async def test_a_thawed_server_neither_writes_nor_persists(postgres_scene: Scene) -> None:
    async with (
        chat_server(postgres_scene, "frozen", SLOW_ANSWER) as frozen,
        chat_server(postgres_scene, "other", QUICK_ANSWER) as other,
    ):
        old = await frozen.begin("Slowly?")
        await other.reaches(old, "running")
        frozen.send(signal.SIGSTOP)
        new = await other.begin("Quickly?")
        await other.reaches(new, "completed")
        assert await other.run(old) == ("failed", "crashed")
        told = await events_at(postgres_scene)
        frozen.send(signal.SIGCONT)
        await ended_there(frozen)
        assert await other.run(old) == ("failed", "crashed")
        assert await events_at(postgres_scene) == told
        assert set(await postgres_scene.ledger.states()) == {new}


async def events_at(scene: Scene) -> list[tuple[str | None, str, str]]:
    async with scene.ledger.database.read() as tx:
        return [(event.run_id, event.kind, event.content) for event in await scene.ledger.sessions.events(tx, "s-1")]


async def ended_there(frozen: ChatProcess) -> None:
    """The thawed server drains, which leaves its run all the time it wants, and ends; the run did not complete."""
    await frozen.ended_well()
    told = frozen.log.read_text()
    assert "server.runs_cut_off" not in told
    assert "run.completed" not in told
