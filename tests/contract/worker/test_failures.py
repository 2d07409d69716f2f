"""What the Gateway answers, or does not, decides how a turn ends; nothing is repeated."""

from __future__ import annotations

import pytest
import structlog

from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from beaver.schemas.jobs import PersistJob
from tests.contract.worker.scene import Scene
from tests.support.gateway_stub import Behaviour, cut, hang, ok, raw, reset, status
from tests.support.ledger import USER_KEY

REFUSED_ADDS: list[tuple[Behaviour, str, int | None]] = [
    (status(401), "unauthorized", 401),
    (status(404), "http_status", 404),
    (status(429), "http_status", 429),
]


UNKNOWN_ADDS: list[tuple[Behaviour, str, int | None]] = [
    (status(500), "http_status", 500),
    (status(503), "http_status", 503),
    (status(408), "http_status", 408),
    (reset(), "connection_lost", None),
    (cut(), "connection_lost", None),
    (raw(b"so much garbage"), "invalid_json", 200),
    (raw(b"[]"), "invalid_shape", 200),
]


@pytest.mark.parametrize(("behaviour", "category", "code"), REFUSED_ADDS)
async def test_a_refused_add_ends_the_turn_without_a_flush(
    quick_scene: Scene, behaviour: Behaviour, category: str, code: int
) -> None:
    await ends_after_failed_add(quick_scene, behaviour, State.ADD_REFUSED, category, code, "refused")


@pytest.mark.parametrize(("behaviour", "category", "code"), UNKNOWN_ADDS)
async def test_an_add_whose_outcome_nobody_knows_is_said_to_be_unknown_and_not_flushed(
    quick_scene: Scene, behaviour: Behaviour, category: str, code: int | None
) -> None:
    await ends_after_failed_add(quick_scene, behaviour, State.ADD_UNKNOWN, category, code, "unknown")


async def ends_after_failed_add(
    scene: Scene, behaviour: Behaviour, end: State, category: str, code: int | None, outcome: str
) -> None:
    scene.stub.script(ADD_PATH, behaviour)
    run_id = await scene.turn()
    job = PersistJob(run_id=run_id, generation=0)
    async with scene.parts() as parts:
        await parts.persister.persist(job)
        await parts.persister.persist(job)
    assert await scene.ledger.state(run_id) is end
    http = {} if code is None else {"http_status": code}
    assert await scene.ledger.audit() == [
        ("memory_gateway_add_failed", {"operation": "add", "category": category, "outcome": outcome, **http})
    ]
    summary = (await scene.ledger.story(run_id)).summary
    assert (summary.error_category, summary.error_status) == (category, code)
    assert (len(scene.stub.seen(ADD_PATH)), len(scene.stub.seen(FLUSH_PATH))) == (1, 0)


async def test_an_add_that_hangs_is_given_up_at_the_deadline_as_unknown(quick_scene: Scene) -> None:
    quick_scene.write(gateway={"timeoutSeconds": 0.3})
    await ends_after_failed_add(quick_scene, hang(), State.ADD_UNKNOWN, "timeout", None, "unknown")


async def test_a_gateway_that_is_not_there_surely_stored_nothing(quick_scene: Scene) -> None:
    quick_scene.write(gateway_url="http://127.0.0.1:9")
    run_id = await quick_scene.turn()
    async with quick_scene.parts() as parts:
        await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    assert await quick_scene.ledger.state(run_id) is State.ADD_REFUSED
    assert [payload["category"] for _, payload in await quick_scene.ledger.audit()] == ["connect_failed"]


@pytest.mark.parametrize(
    ("behaviour", "end", "outcome"),
    [(status(404), State.FLUSH_FAILED, "failed"), (status(500), State.FLUSH_UNKNOWN, "unknown")],
)
async def test_a_flush_that_fails_keeps_the_adds_success_and_is_not_repeated(
    scene: Scene, behaviour: Behaviour, end: State, outcome: str
) -> None:
    scene.stub.script(FLUSH_PATH, behaviour)
    run_id = await scene.turn()
    async with scene.parts() as parts:
        for generation in range(3):
            await parts.persister.persist(PersistJob(run_id=run_id, generation=generation))
    assert await scene.ledger.state(run_id) is end
    (added, _), (failed, payload) = await scene.ledger.audit()
    assert (added, failed) == ("memory_gateway_add_succeeded", "memory_gateway_flush_failed")
    assert (payload["outcome"], payload["add_succeeded"]) == (outcome, True)
    assert (len(scene.stub.seen(ADD_PATH)), len(scene.stub.seen(FLUSH_PATH))) == (1, 1)


@pytest.mark.parametrize(
    ("path", "behaviour", "level"),
    [
        (ADD_PATH, status(401), "warning"),
        (ADD_PATH, status(500), "warning"),
        (FLUSH_PATH, status(404), "warning"),
        (FLUSH_PATH, status(500), "warning"),
        (ADD_PATH, ok(), "info"),
    ],
)
async def test_a_turn_that_somebody_must_look_at_is_a_warning_in_the_log(
    quick_scene: Scene, path: str, behaviour: Behaviour, level: str
) -> None:
    quick_scene.stub.script(path, behaviour)
    run_id = await quick_scene.turn()
    with structlog.testing.capture_logs() as logged:
        async with quick_scene.parts() as parts:
            await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    assert [each["log_level"] for each in logged if each["event"] == "persist.ended"] == [level]


async def test_a_turn_of_another_gateway_user_is_refused_and_never_sent(quick_scene: Scene) -> None:
    run_id = await quick_scene.turn(gateway_user_id="somebody-else")
    async with quick_scene.parts() as parts:
        await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    assert await quick_scene.ledger.audit() == [
        ("memory_gateway_add_failed", {"operation": "add", "category": "identity_mismatch", "outcome": "refused"})
    ]
    assert quick_scene.stub.requests == []


async def test_a_turn_of_an_earlier_user_is_delivered_as_that_user(quick_scene: Scene) -> None:
    quick_scene.write(gateway={"earlierUsers": [{"userId": "old", "userKey": "uk_old", "projectId": "before"}]})
    runs = [await quick_scene.turn("s1", gateway_user_id="old", project_id="before"), await quick_scene.turn("s2")]
    async with quick_scene.parts() as parts:
        for run_id in runs:
            await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    assert [await quick_scene.ledger.state(run_id) for run_id in runs] == [State.FLUSHED, State.FLUSHED]
    sent = [*quick_scene.stub.bodies(ADD_PATH), *quick_scene.stub.bodies(FLUSH_PATH)]
    assert [(each["user_id"], each["user_key"], each["project_id"]) for each in sent] == [
        ("old", "uk_old", "before"),
        ("ada", USER_KEY, "default"),
    ] * 2
    assert [each["messages"][0]["sender_id"] for each in quick_scene.stub.bodies(ADD_PATH)] == ["old", "ada"]


async def test_a_flush_that_a_lost_worker_left_is_not_made_as_another_user(quick_scene: Scene) -> None:
    run_id = await quick_scene.turn(gateway_user_id="somebody-else")
    async with quick_scene.ledger.database.write() as tx:
        claim = await quick_scene.ledger.claims.claim(tx, run_id, "lost-worker", claim_ms=60_000)
        assert claim is not None
        for target in (State.ADDING, State.ADDED):
            await quick_scene.ledger.claims.move(tx, claim, target)
    await quick_scene.ledger.run_out(run_id)
    async with quick_scene.parts() as parts:
        await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    assert await quick_scene.ledger.state(run_id) is State.FLUSH_FAILED
    assert (await quick_scene.ledger.story(run_id)).summary.error_category == "identity_mismatch"
    assert quick_scene.stub.requests == []
