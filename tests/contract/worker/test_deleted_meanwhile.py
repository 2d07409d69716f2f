"""A session that is deleted while a worker sends a turn of it: what reached the Gateway all the same is forgotten there."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import structlog
from sqlalchemy import update

from beaver.db.tables import withdrawals
from beaver.outbox.operations import Consent, Operator, OutboxOperations
from beaver.outbox.sweep import sweep_orphans
from beaver.outbox.withdrawals import WithdrawalStore
from beaver.redaction import Redactor
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from beaver.schemas.jobs import PersistJob
from tests.contract.worker.scene import Scene
from tests.support.gateway_stub import Behaviour, Exchange, delay, ok, reset, status
from tests.support.waiting import wait_until

FORGOTTEN = ["/memories/message-1", "/memories/message-2"]


def after_deletion(scene: Scene, then: Behaviour) -> Behaviour:
    """Delete the session before the add is answered."""

    async def answer(exchange: Exchange) -> None:
        async with scene.ledger.database.write() as tx:
            assert await scene.ledger.sessions.delete_session(tx, "s1")
        await then(exchange)

    return answer


async def sent(scene: Scene, then: Behaviour) -> Sequence[Mapping[str, Any]]:
    """A turn that is persisted while its session is deleted; what the worker logged."""
    scene.stub.script(ADD_PATH, after_deletion(scene, then))
    run_id = await scene.turn()
    with structlog.testing.capture_logs() as logged:
        async with scene.parts() as parts:
            await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    return logged


def asked_to_forget(scene: Scene) -> list[str]:
    return sorted(each.path.partition("?")[0] for each in scene.stub.requests if each.method == "DELETE")


def told(logged: Sequence[Mapping[str, Any]], event: str) -> list[tuple[str, Any]]:
    return [(each["log_level"], each.get("category")) for each in logged if each["event"] == event]


def forgets_by(scene: Scene, behaviour: Behaviour) -> None:
    for path in FORGOTTEN:
        scene.stub.always(f"{path}?app_id=default&project_id=default", behaviour)


async def waiting(scene: Scene) -> int:
    """How many messages the Gateway is yet to forget."""
    async with scene.ledger.database.read() as tx:
        return await WithdrawalStore(scene.ledger.database.dialect).count(tx)


async def set_back(scene: Scene, **values: Any) -> None:
    async with scene.ledger.database.write() as tx:
        await tx.execute(update(withdrawals).values(**values))


async def swept(scene: Scene) -> list[tuple[str, Any]]:
    """What a worker tells that looks at what is left to forget: what was forgotten, what never will be."""
    with structlog.testing.capture_logs() as logged:
        async with scene.parts() as parts:
            await parts.sweeper.sweep()
    return told(logged, "persist.withdrawn") + told(logged, "persist.not_withdrawn")


async def test_what_arrived_after_the_deletion_is_forgotten_and_never_flushed(scene: Scene) -> None:
    logged = await sent(scene, ok())
    assert asked_to_forget(scene) == FORGOTTEN
    assert scene.stub.seen(FLUSH_PATH) == []
    assert told(logged, "persist.withdrawn") == [("info", None)]


async def test_a_session_begun_anew_under_the_same_id_keeps_what_it_says(scene: Scene) -> None:
    async def delete_and_begin_anew(exchange: Exchange) -> None:
        async with scene.ledger.database.write() as tx:
            await scene.ledger.sessions.delete_session(tx, "s1")
        await scene.turn()
        await ok()(exchange)

    scene.stub.script(ADD_PATH, delete_and_begin_anew)
    run_id = await scene.turn()
    async with scene.parts() as parts:
        await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    assert asked_to_forget(scene) == FORGOTTEN


@pytest.mark.parametrize(
    ("answer", "category"),
    [(ok({"stored": True}), "no_ids"), (reset(), "no_ids"), (status(500), "no_ids")],
)
async def test_what_cannot_be_reached_there_is_a_warning(quick_scene: Scene, answer: Behaviour, category: str) -> None:
    logged = await sent(quick_scene, answer)
    assert asked_to_forget(quick_scene) == []
    assert told(logged, "persist.not_withdrawn") == [("warning", category)]


async def test_a_gateway_that_does_not_forget_is_a_warning(quick_scene: Scene) -> None:
    forgets_by(quick_scene, status(405))
    logged = await sent(quick_scene, ok())
    assert told(logged, "persist.not_withdrawn") == [("warning", "http_status")]
    assert await waiting(quick_scene) == 0


@pytest.mark.parametrize("away", [status(503), status(429), reset()])
async def test_a_gateway_that_is_away_is_asked_again(scene: Scene, away: Behaviour) -> None:
    forgets_by(scene, away)
    logged = await sent(scene, ok())
    assert [level for level, _ in told(logged, "persist.withdrawal_waits")] == ["warning"]
    assert await waiting(scene) == 2

    forgets_by(scene, ok())
    assert await swept(scene) == []  # it is not due yet
    assert await waiting(scene) == 2
    await set_back(scene, due_ms=0)
    assert await swept(scene) == [("info", None)]
    assert asked_to_forget(scene) == sorted(FORGOTTEN * 2)
    assert await waiting(scene) == 0


async def test_it_is_known_before_the_gateway_is_asked(quick_scene: Scene) -> None:
    seen: list[int] = []

    async def look(exchange: Exchange) -> None:
        seen.append(await waiting(quick_scene))
        await ok()(exchange)

    forgets_by(quick_scene, look)
    await sent(quick_scene, ok())
    assert seen == [2, 2]
    assert await waiting(quick_scene) == 0


async def test_what_an_attempt_without_an_answer_did_is_not_missed(quick_scene: Scene) -> None:
    forgets_by(quick_scene, reset())
    await sent(quick_scene, ok())
    forgets_by(quick_scene, status(404))
    await set_back(quick_scene, due_ms=0)
    assert await swept(quick_scene) == [("info", None)]
    assert await waiting(quick_scene) == 0


async def test_after_a_week_a_person_is_told(quick_scene: Scene) -> None:
    forgets_by(quick_scene, status(503))
    await sent(quick_scene, ok())
    await set_back(quick_scene, due_ms=0, created_ms=0)
    assert await swept(quick_scene) == [("warning", "http_status")]
    assert await waiting(quick_scene) == 0


async def test_what_was_said_for_a_user_who_is_gone_from_the_settings_waits(quick_scene: Scene) -> None:
    forgets_by(quick_scene, status(503))
    await sent(quick_scene, ok())
    await set_back(quick_scene, due_ms=0, gateway_user_id="somebody-else")
    before = len(asked_to_forget(quick_scene))
    assert await swept(quick_scene) == []
    assert len(asked_to_forget(quick_scene)) == before
    assert await waiting(quick_scene) == 2


async def test_a_refused_add_leaves_nothing_to_forget(quick_scene: Scene) -> None:
    logged = await sent(quick_scene, status(401))
    assert asked_to_forget(quick_scene) == []
    assert told(logged, "persist.not_withdrawn") == []


async def test_a_turn_whose_claim_went_to_somebody_else_is_not_forgotten(quick_scene: Scene) -> None:
    async def take_the_claim(exchange: Exchange) -> None:
        ledger = quick_scene.ledger
        await ledger.run_out(run_id)
        await sweep_orphans(ledger.database, ledger.store, "sweeper")
        desk = OutboxOperations(ledger.database, quick_scene.queue, Redactor())
        await desk.requeue(run_id, Operator("anna", "looked"), Consent(accept_duplicate=True))
        await ok()(exchange)

    quick_scene.stub.script(ADD_PATH, take_the_claim)
    run_id = await quick_scene.turn()
    async with quick_scene.parts() as parts:
        await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    assert asked_to_forget(quick_scene) == []


async def test_a_worker_that_is_stopped_meanwhile_has_it_forgotten_first(quick_scene: Scene) -> None:
    async def delete_and_tell(exchange: Exchange) -> None:
        async with quick_scene.ledger.database.write() as tx:
            await quick_scene.ledger.sessions.delete_session(tx, "s1")
        await ok()(exchange)

    async def asked() -> bool:
        return bool(asked_to_forget(quick_scene))

    quick_scene.stub.script(ADD_PATH, delete_and_tell)
    forgets_by(quick_scene, delay(0.2))
    run_id = await quick_scene.turn()
    async with quick_scene.parts() as parts:
        persisting = asyncio.create_task(parts.persister.persist(PersistJob(run_id=run_id, generation=0)))
        await wait_until(asked, within_s=30, what="the first word to the Gateway")
        persisting.cancel()
        await asyncio.gather(persisting, return_exceptions=True)
    assert asked_to_forget(quick_scene) == FORGOTTEN
