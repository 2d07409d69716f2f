"""The queue server is down, frozen, full, read-only or new: the answer does not wait for it, and no turn is lost."""

from __future__ import annotations

import time

import pytest

from beaver.client.jobs import PersistQueue
from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH
from beaver.schemas.jobs import PersistJob
from tests.drills.queue_faults import FAULTS, Fault, full, mend
from tests.drills.scene import Scene
from tests.support.gateway_stub import hang

ALL_FLUSHED = {(State.FLUSHED, None)}
# The budget is 300 ms; the rest is for a machine that does other things.
ENQUEUE_S_MAX = 1.5


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_ring_that_the_queue_does_not_take_costs_the_answer_a_moment_and_the_turn_nothing(
    quick_scene: Scene, fault: Fault
) -> None:
    scene = quick_scene
    (run_id,) = await scene.complete("s1")
    queue = PersistQueue.open(scene.valkey.url, timeout_ms=300)
    fault(scene.valkey)
    started = time.monotonic()
    rung = await queue.enqueue(PersistJob(run_id=run_id, generation=0))
    took_s = time.monotonic() - started
    mend(scene.valkey, fault)
    assert (rung, took_s < ENQUEUE_S_MAX) == (False, True)
    await queue.aclose()
    with scene.worker():
        assert set(await scene.holds()) == ALL_FLUSHED


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_worker_outlives_a_queue_that_fails_under_its_running_job(quick_scene: Scene, fault: Fault) -> None:
    scene = quick_scene
    scene.write(gateway={"timeoutSeconds": 20})
    scene.stub.script(ADD_PATH, hang())
    (held,) = await scene.complete("s1")
    await scene.ring(held)
    with scene.worker() as worker:
        await scene.adds(1)
        later = await scene.complete(*(f"s{number}" for number in range(1, 6)))
        await scene.ring(*later)
        fault(scene.valkey)
        scene.stub.release()
        await scene.reaches(held, State.FLUSHED)
        meanwhile = await scene.complete("s7", "s8")
        if fault is not full:
            await worker.logged("worker.waiting", part="queue")
        mend(scene.valkey, fault)
        await scene.ring(*meanwhile)
        assert set(await scene.holds()) == ALL_FLUSHED
        assert worker.is_alive()
    assert scene.calls() == (8, 8)


async def test_a_queue_server_killed_mid_job_and_replaced_by_an_empty_one_loses_no_turn(scene: Scene) -> None:
    scene.stub.script(ADD_PATH, hang())
    run_ids = await scene.complete(*(f"s{number % 4}" for number in range(12)))
    await scene.ring(*run_ids)
    with scene.worker():
        await scene.adds(1)
        scene.valkey.kill()
        scene.valkey.lose_files()
        scene.valkey.start()
        scene.stub.release()
        assert set(await scene.holds()) == ALL_FLUSHED
    assert scene.calls() == (12, 12)
