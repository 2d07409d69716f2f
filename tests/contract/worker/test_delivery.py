"""A worker carries turns to the Gateway, each once, with exactly these bodies; on both databases, over a real Valkey."""

from __future__ import annotations

import asyncio

from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from beaver.schemas.jobs import PersistJob
from tests.contract.worker.scene import ANSWER, PROMPT, Scene
from tests.support.ledger import USER_KEY
from tests.support.processes import InstanceProcess
from tests.support.waiting import wait_until


async def test_a_turn_is_added_once_and_flushed_once_with_exactly_these_bodies(scene: Scene) -> None:
    run_id = await scene.turn(traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    with InstanceProcess(scene.root):
        await scene.ring(run_id)
        await scene.reaches(run_id, State.FLUSHED)
    identity = {"user_id": "ada", "user_key": USER_KEY, "app_id": "default", "project_id": "default"}
    assert scene.stub.bodies(ADD_PATH) == [
        {
            **identity,
            "session_id": "chat:s1",
            "messages": [
                {"sender_id": "ada", "role": "user", "timestamp": 1_780_000_000_000, "content": PROMPT},
                {"sender_id": "beaver", "role": "assistant", "timestamp": 1_780_000_001_000, "content": ANSWER},
            ],
        }
    ]
    assert scene.stub.bodies(FLUSH_PATH) == [{**identity, "session_id": "chat:s1"}]
    headers = scene.stub.seen(ADD_PATH)[0].headers
    assert headers["idempotency-key"] == run_id
    assert headers["traceparent"] == "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    assert await scene.ledger.audit() == [
        ("memory_gateway_add_succeeded", {"gateway_session": "chat:s1", "message_count": 2, "attempt": 1}),
        ("memory_gateway_flush_succeeded", {"gateway_session": "chat:s1"}),
    ]
    assert await scene.ledger.path(run_id) == [
        State.PENDING,
        State.CLAIMED,
        State.ADDING,
        State.ADDED,
        State.FLUSHING,
        State.FLUSHED,
    ]


async def test_nothing_is_left_in_the_queue_and_nothing_of_the_turn_ever_stood_there(quick_scene: Scene) -> None:
    scene = quick_scene
    run_id = await scene.turn()
    await scene.ring(run_id)
    inside = scene.valkey.client()
    stored = b"".join(inside.dump(key) or b"" for key in inside.scan_iter())  # type: ignore[misc]
    assert not any(secret.encode() in stored for secret in (USER_KEY, "Canary", "tea"))
    with InstanceProcess(scene.root) as worker:
        await scene.reaches(run_id, State.FLUSHED)

        async def empty() -> bool:
            return all(b":health:" in key for key in inside.scan_iter())

        await wait_until(empty, what="an empty queue")
        worker.terminate()
        assert await worker.ended() == 0
        log = worker.log.read_text()
    assert inside.dbsize() == 0
    assert not any(secret in log for secret in (USER_KEY, "Canary"))


async def test_the_same_job_delivered_to_many_at_the_same_instant_adds_once(scene: Scene) -> None:
    run_id = await scene.turn()
    job = PersistJob(run_id=run_id, generation=0)
    async with scene.parts() as left, scene.parts() as right:
        await asyncio.gather(*(parts.persister.persist(job) for parts in (left, right) * 5))
        await left.persister.persist(job)
    assert await scene.ledger.state(run_id) is State.FLUSHED
    assert (len(scene.stub.seen(ADD_PATH)), len(scene.stub.seen(FLUSH_PATH))) == (1, 1)
