"""A session that is deleted while a worker sends a turn of it: what reached the Gateway all the same is forgotten there."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import structlog

from beaver.outbox.operations import Consent, Operator, OutboxOperations
from beaver.outbox.sweep import sweep_orphans
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
    for path in FORGOTTEN:
        quick_scene.stub.always(f"{path}?app_id=default&project_id=default", status(405))
    logged = await sent(quick_scene, ok())
    assert told(logged, "persist.not_withdrawn") == [("warning", "http_status")]


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
    for path in FORGOTTEN:
        quick_scene.stub.always(f"{path}?app_id=default&project_id=default", delay(0.2))
    run_id = await quick_scene.turn()
    async with quick_scene.parts() as parts:
        persisting = asyncio.create_task(parts.persister.persist(PersistJob(run_id=run_id, generation=0)))
        await wait_until(asked, within_s=30, what="the first word to the Gateway")
        persisting.cancel()
        await asyncio.gather(persisting, return_exceptions=True)
    assert asked_to_forget(quick_scene) == FORGOTTEN
