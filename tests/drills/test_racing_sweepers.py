"""Sweepers that look at the same moment: each orphan is judged once, said once, and each turn rung for once a generation."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from sqlalchemy import insert, update

from beaver.client.jobs import PersistQueue
from beaver.db.engine import Database, Transaction
from beaver.db.tables import outbox, outbox_timeline
from beaver.outbox import audit
from beaver.outbox.states import State
from beaver.schemas.audit import AuditEvent
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from beaver.schemas.jobs import PersistJob
from beaver.sessions.records import NewEvent
from tests.drills.scene import Scene
from tests.support.gateway_stub import Behaviour, Exchange, hang, ok
from tests.support.waiting import wait_until

SWEEPERS = 4
OF_EACH_KIND = 10
ADDING, ADDED, FLUSHING, CLAIMED, WAITING = "adding", "added", "flushing", "claimed", "waiting"
JUDGED = {
    ADDING: State.ADD_UNKNOWN,
    ADDED: State.ADDED,
    FLUSHING: State.FLUSH_UNKNOWN,
    CLAIMED: State.PENDING,
    WAITING: State.PENDING,
}


async def test_sweepers_that_race_judge_each_orphan_once_and_ring_once_for_each_turn(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    firsts = await leave_orphans(scene)
    behind = {kind: await scene.complete(*sessions(kind)) for kind in (ADDING, ADDED, FLUSHING, CLAIMED)}
    await scene.run_out()
    rings = counted_rings(monkeypatch)
    await sweep_together(scene, monkeypatch)
    for kind, run_ids in firsts.items():
        for run_id in run_ids:
            assert (await scene.ledger.path(run_id)).count(JUDGED[kind]) == told_times(kind), run_id
            assert await scene.ledger.state(run_id) is JUDGED[kind]
    rung = [*behind[ADDING], *behind[FLUSHING], *firsts[ADDED], *firsts[CLAIMED], *firsts[WAITING]]
    assert rings == {PersistJob(run_id=run_id, generation=1).job_id: 1 for run_id in rung}
    monkeypatch.undo()
    scene.stub.release()
    with scene.worker():
        ends = await scene.holds()
    assert {state: count for (state, _), count in ends.items()} == {
        State.ADD_UNKNOWN: OF_EACH_KIND,
        State.FLUSH_UNKNOWN: OF_EACH_KIND,
        State.FLUSHED: 7 * OF_EACH_KIND,
    }


def sessions(kind: str) -> list[str]:
    return [f"{kind}-{number}" for number in range(OF_EACH_KIND)]


def told_times(kind: str) -> int:
    """How often the state that a turn is judged into stands in its timeline: a claimed one had been pending before."""
    return 2 if kind == CLAIMED else 1


async def leave_orphans(scene: Scene) -> dict[str, list[str]]:
    """A worker dies with adds and flushes on their way; others are left between those, or wait. The run ids of each kind."""
    scene.write(gateway={"timeoutSeconds": 60})
    scene.stub.always(ADD_PATH, silent_in(ADDING, ADDED))
    scene.stub.always(FLUSH_PATH, silent_in(FLUSHING))
    sent = {kind: await scene.complete(*sessions(kind)) for kind in (ADDING, ADDED, FLUSHING)}
    with scene.worker("doomed") as doomed:
        for run_ids in sent.values():
            await scene.ring(*run_ids)
        await calls(scene, 3 * OF_EACH_KIND, OF_EACH_KIND)
        doomed.kill()
    # A ring that the queue answers late is sent again much later: that is another drill, and this one on a crowded machine.
    scene.write(queue={"enqueueTimeoutMs": 10_000})
    scene.valkey.empty()
    unsent = {kind: await scene.complete(*sessions(kind)) for kind in (CLAIMED, WAITING)}
    async with scene.ledger.database.write() as tx:
        for run_id in unsent[CLAIMED]:
            await leave_claimed(tx, run_id)
        for session_id, run_id in zip(sessions(ADDED), sent[ADDED], strict=True):
            await leave_added(scene, tx, session_id, run_id)
    return sent | unsent


def silent_in(*kinds: str) -> Behaviour:
    """No answer in the sessions of some kinds."""
    prefixes = tuple(f"chat:{kind}-" for kind in kinds)

    async def answer(exchange: Exchange) -> None:
        silent = exchange.request.body["session_id"].startswith(prefixes)
        await (hang() if silent else ok())(exchange)

    return answer


async def calls(scene: Scene, adds: int, flushes: int) -> None:
    """Wait until the Gateway has received so many."""

    async def seen() -> bool:
        return scene.calls() == (adds, flushes)

    await wait_until(seen, within_s=60, what=f"{adds} adds and {flushes} flushes")


async def leave_claimed(tx: Transaction, run_id: str) -> None:
    """What a worker writes before it adds: it dies there too seldom to wait for."""
    held = {"state": State.CLAIMED, "holder": "dead", "fence": 1, "claim_expires_ms": 1}
    await tx.execute(update(outbox).where(outbox.c.run_id == run_id).values(**held))
    await tell(tx, run_id, State.PENDING, State.CLAIMED, {})


async def leave_added(scene: Scene, tx: Transaction, session_id: str, run_id: str) -> None:
    """What a worker of an older release committed on its own before it flushed."""
    confirmed = audit.add_succeeded(session_id, message_count=2, attempt=1)
    await tx.execute(update(outbox).where(outbox.c.run_id == run_id).values(state=State.ADDED))
    await tell(tx, run_id, State.ADDING, State.ADDED, confirmed)
    told = NewEvent(AuditEvent.ADD_SUCCEEDED, payload=confirmed, context_visible=False)
    await scene.ledger.sessions.append(tx, session_id, run_id, told)


async def tell(tx: Transaction, run_id: str, source: State, target: State, detail: Mapping[str, object]) -> None:
    entry = {"run_id": run_id, "from_state": source, "to_state": target, "actor": "dead", "attempt": 1}
    await tx.execute(insert(outbox_timeline).values(**entry, at_ms=1, detail=dict(detail)))


def counted_rings(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each ring is sent from now on: the queue itself would hide a second one."""
    rings: Counter[str] = Counter()
    enqueue = PersistQueue.enqueue

    async def counted(queue: PersistQueue, job: PersistJob) -> bool:
        rings[job.job_id] += 1
        return await enqueue(queue, job)

    monkeypatch.setattr(PersistQueue, "enqueue", counted)
    return rings


async def sweep_together(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sweep each, over connections of their own; nobody judges before all have looked."""
    async with AsyncExitStack() as opened:
        sweepers = [(await opened.enter_async_context(scene.parts())).sweeper for _ in range(SWEEPERS)]
        meeting = asyncio.Barrier(SWEEPERS)
        for sweeper in sweepers:
            monkeypatch.setattr(sweeper.database, "read", meeting_after(sweeper.database, meeting))
        await asyncio.gather(*(sweeper.sweep() for sweeper in sweepers))


def meeting_after(database: Database, meeting: asyncio.Barrier) -> object:
    """`read`, whose first two looks (for orphans, for what is due) end when all have looked."""
    read, ahead = database.read, [meeting, meeting]

    @asynccontextmanager
    async def together() -> AsyncIterator[Transaction]:
        async with read() as tx:
            yield tx
        if ahead:
            await ahead.pop().wait()

    return together
