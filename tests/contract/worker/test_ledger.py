"""A ledger that is slow or fails for a while loses nothing and repeats no call."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import text

from beaver.errors import Unavailable
from beaver.outbox.claim_store import ClaimStore
from beaver.outbox.move_store import Moved
from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from beaver.schemas.jobs import PersistJob
from tests.contract.worker.scene import Scene
from tests.support.gateway_stub import hang
from tests.support.processes import InstanceProcess

LOCKED_S = 0.5


async def test_a_ledger_that_fails_while_recording_is_asked_again_and_the_call_is_not_repeated(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = await scene.turn()
    async with scene.parts() as parts:
        whole = ClaimStore.write
        failures = {State.ADDED: 2, State.FLUSHED: 1}

        async def sometimes(self: ClaimStore, tx: Any, decided: Sequence[Moved]) -> None:
            await whole(self, tx, decided)
            target = decided[0].passages[0].target
            if failures.get(target, 0) > 0:
                failures[target] -= 1
                raise Unavailable("the database cannot serve (planted)")

        monkeypatch.setattr(ClaimStore, "write", sometimes)
        await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    assert await scene.ledger.state(run_id) is State.FLUSHED
    assert len(await scene.ledger.audit()) == 2
    assert (len(scene.stub.seen(ADD_PATH)), len(scene.stub.seen(FLUSH_PATH))) == (1, 1)


async def test_a_database_locked_by_somebody_else_delays_a_turn_and_loses_nothing(quick_scene: Scene) -> None:
    scene = quick_scene
    scene.stub.script(ADD_PATH, hang())
    run_id = await scene.turn()
    with InstanceProcess(scene.root):
        await scene.ring(run_id)
        await scene.adds(1)
        async with scene.ledger.database.write() as tx:
            await tx.execute(text("UPDATE sessions SET title = 'held'"))
            scene.stub.release()
            # No wait for a result, but the length of the lock: longer than SQLite's own patience.
            await asyncio.sleep(LOCKED_S)
        await scene.reaches(run_id, State.FLUSHED)
    assert len(scene.stub.seen(ADD_PATH)) == 1
