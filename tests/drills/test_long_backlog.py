"""Nothing was delivered for two days and the queue has forgotten its jobs: one worker comes, and delivers all, in order."""

from __future__ import annotations

from typing import cast

from sqlalchemy import update

from beaver.db.tables import outbox, outbox_timeline
from beaver.outbox.relay import RELAY_ROWS_MAX
from beaver.outbox.states import State
from beaver.schemas.jobs import QUEUE_NAME
from tests.drills.scene import Scene
from tests.support.waiting import wait_until

BACKLOG_MS = 48 * 3_600_000
SESSIONS = RELAY_ROWS_MAX + 20
TURNS = SESSIONS + 40


async def test_a_backlog_of_two_days_whose_jobs_have_expired_is_delivered_in_order(postgres_scene: Scene) -> None:
    scene = postgres_scene
    run_ids = await scene.complete(*(f"s{number % SESSIONS}" for number in range(TURNS)))
    await scene.ring(*run_ids)
    await two_days_pass(scene)
    await jobs_expire(scene)
    with scene.worker():
        assert await scene.holds() == {(State.FLUSHED, None): TURNS}
    assert scene.calls() == (TURNS, TURNS)


async def two_days_pass(scene: Scene) -> None:
    """Everything the ledger knows of time lies two days further back."""
    async with scene.ledger.database.write() as tx:
        aged = ("created_ms", "updated_ms", "due_ms")
        await tx.execute(update(outbox).values({name: outbox.c[name] - BACKLOG_MS for name in aged}))
        await tx.execute(update(outbox_timeline).values(at_ms=outbox_timeline.c.at_ms - BACKLOG_MS))
        stats = await scene.ledger.inspection.stats(tx)
    assert stats.oldest_pending_age_ms is not None
    assert stats.oldest_pending_age_ms >= BACKLOG_MS


async def jobs_expire(scene: Scene) -> None:
    """What arq keeps for a job goes at its time; the job's id stays in the queue, two days old."""
    inside = scene.valkey.client()
    jobs = cast("list[bytes]", inside.keys("arq:job:*"))
    for job in jobs:
        inside.pexpire(job, 1)
        inside.zincrby(QUEUE_NAME, -BACKLOG_MS, job.removeprefix(b"arq:job:"))

    async def gone() -> bool:
        return not inside.keys("arq:job:*")

    await wait_until(gone, what="the end of every job")
    assert (len(jobs), inside.zcard(QUEUE_NAME)) == (TURNS, TURNS)
