"""A database that takes no record of a confirmed add, and a job that is cancelled over it: the turn is not sent again."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from sqlalchemy import text

import worker.persist
from beaver.outbox.states import State
from beaver.schemas.jobs import PersistJob
from tests.drills.scene import Scene
from tests.support.waiting import wait_until

RECORD_RETRY_S = 0.3

# 53100 is disk_full. A sequence is not rolled back with the rest, so that it tells of what was refused.
REFUSE = (
    "CREATE SEQUENCE refused",
    """CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         PERFORM nextval('refused');
         RAISE EXCEPTION 'no space' USING ERRCODE = '53100';
       END $$""",
    """CREATE TRIGGER refuse BEFORE UPDATE ON outbox FOR EACH ROW
       WHEN (NEW.state IN ('added', 'flushing')) EXECUTE FUNCTION refuse()""",
)
MEND = ("DROP TRIGGER refuse ON outbox",)


async def test_a_job_cancelled_while_its_confirmed_add_cannot_be_recorded_does_not_hand_its_turn_back(
    postgres_scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = postgres_scene
    monkeypatch.setattr(worker.persist, "RECORD_RETRY_S", RECORD_RETRY_S)
    (run_id,) = await scene.complete("s1")
    await run(scene, *REFUSE)
    async with scene.parts() as parts:
        job = asyncio.create_task(parts.persister.persist(PersistJob(run_id=run_id, generation=0)))
        await refused_once(scene)
        job.cancel()
        with suppress(asyncio.CancelledError):
            await job
    await run(scene, *MEND)
    await scene.run_out()
    with scene.worker():
        await scene.holds()
    assert scene.calls()[0] == 1
    assert await scene.ledger.state(run_id) in {State.ADD_UNKNOWN, State.FLUSHED}


async def run(scene: Scene, *statements: str) -> None:
    """Change the database as its owner."""
    async with scene.ledger.database.write() as tx:
        for statement in statements:
            await tx.execute(text(statement))


async def refused_once(scene: Scene) -> None:
    """Wait until a record has been refused: the Gateway has then confirmed the add."""

    async def refused() -> bool:
        async with scene.ledger.database.read() as tx:
            return bool(await tx.scalar(text("SELECT is_called FROM refused")))

    await wait_until(refused, what="a refused record")
