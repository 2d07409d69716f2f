"""A worker takes its rings by itself, not as arq does; arq's loop, bounds and counts stay what they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import structlog
from arq.worker import Worker, func

from beaver.client.jobs import PersistQueue, arq_redis, decode_job, encode_job
from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH
from beaver.schemas.jobs import PERSIST_FUNCTION, QUEUE_NAME, PersistJob
from tests.contract.worker.scene import Scene
from tests.support.gateway_stub import hang
from tests.support.ledger_checks import left_in_queue
from tests.support.processes import ARQ, WORKER, InstanceProcess, Start
from tests.support.valkey import ValkeyServer
from tests.support.waiting import wait_until
from worker.draining import end
from worker.rings import take_rings


@asynccontextmanager
async def working(valkey: ValkeyServer, job: Any, *, max_jobs: int = 3, timeout_s: float = 30) -> AsyncIterator[Worker]:
    """An arq worker of that job that takes its rings our way, until the block ends."""
    redis = arq_redis(valkey.url, socket_timeout_s=10)
    worker = Worker(
        [func(job, name=PERSIST_FUNCTION, max_tries=1, timeout=timeout_s)],
        redis_pool=redis,
        queue_name=QUEUE_NAME,
        health_check_key=f"{QUEUE_NAME}:health:test",
        job_serializer=encode_job,
        job_deserializer=decode_job,
        max_jobs=max_jobs,
        poll_delay=0.01,
        queue_read_limit=1,
        handle_signals=False,
    )
    take_rings(worker)
    loop = asyncio.create_task(worker.main())
    try:
        yield worker
        assert not loop.done(), "arq's loop has ended"
    finally:
        await end(loop)
        await worker.close()


@pytest.fixture
async def queue(valkey: ValkeyServer) -> AsyncIterator[PersistQueue]:
    opened = PersistQueue.open(valkey.url, timeout_ms=10_000)
    yield opened
    await opened.aclose()


async def ring(queue: PersistQueue, *numbers: int) -> None:
    for number in numbers:
        assert await queue.enqueue(PersistJob(run_id=f"run_{number}", generation=0))


async def becomes(wanted: Callable[[], object]) -> None:
    async def so() -> object:
        return wanted()

    await wait_until(so, within_s=30)


async def test_no_more_rings_are_taken_than_there_is_room_for(valkey: ValkeyServer, queue: PersistQueue) -> None:
    begun: list[str] = []
    over = asyncio.Event()

    async def job(ctx: dict[Any, Any], _argument: Any) -> None:
        begun.append(ctx["job_id"])
        await over.wait()

    await ring(queue, *range(8))
    async with working(valkey, job, max_jobs=3) as worker:
        await becomes(lambda: len(begun) == 3)
        assert valkey.client().zcard(QUEUE_NAME) == 5
        over.set()
        await becomes(lambda: worker.jobs_complete == 8)
    assert len(set(begun)) == 8
    assert left_in_queue(valkey) == []


async def test_a_job_that_fails_is_told_and_counted_and_ends_no_other(
    valkey: ValkeyServer, queue: PersistQueue
) -> None:
    async def job(_ctx: dict[Any, Any], argument: Any) -> None:
        if argument["run_id"] == "run_0":
            raise LookupError("quotes a word")

    with structlog.testing.capture_logs() as logged:
        async with working(valkey, job) as worker:
            await ring(queue, 0)
            await becomes(lambda: worker.jobs_failed == 1)
            await ring(queue, 1)
            await becomes(lambda: worker.jobs_complete == 1)
    [told] = [each for each in logged if each["event"] == "persist.failed"]
    assert told["job_id"] == "persist:run_0:0"
    assert isinstance(told["exc_info"], LookupError)


async def test_a_job_beyond_its_time_is_stopped_and_told(valkey: ValkeyServer, queue: PersistQueue) -> None:
    async def job(_ctx: dict[Any, Any], _argument: Any) -> None:
        await asyncio.Event().wait()

    with structlog.testing.capture_logs() as logged:
        async with working(valkey, job, timeout_s=0.1) as worker:
            await ring(queue, 0)
            await becomes(lambda: worker.jobs_failed == 1)
    assert [type(each["exc_info"]) for each in logged if each["event"] == "persist.failed"] == [TimeoutError]


@pytest.mark.parametrize("stored", [None, b"", b"\x80\x04garbage", encode_job({"f": "unknown", "a": [], "k": {}})])
async def test_a_ring_whose_job_says_nothing_is_dropped_and_the_next_is_heard(
    valkey: ValkeyServer, queue: PersistQueue, stored: bytes | None
) -> None:
    heard: list[str] = []

    async def job(ctx: dict[Any, Any], _argument: Any) -> None:
        heard.append(ctx["job_id"])

    inside = valkey.client()
    inside.zadd(QUEUE_NAME, {"persist:run_7:0": 1})
    if stored is not None:
        inside.set("arq:job:persist:run_7:0", stored)
    with structlog.testing.capture_logs() as logged:
        async with working(valkey, job):
            await ring(queue, 1)
            await becomes(lambda: heard)
            await becomes(lambda: not left_in_queue(valkey))
    assert heard == ["persist:run_1:0"]
    assert [each["job_id"] for each in logged if each["event"] == "persist.unreadable_job"] == ["persist:run_7:0"]


async def test_a_ring_whose_job_is_no_string_is_dropped_and_the_next_is_heard(
    valkey: ValkeyServer, queue: PersistQueue
) -> None:
    heard: list[str] = []

    async def job(ctx: dict[Any, Any], _argument: Any) -> None:
        heard.append(ctx["job_id"])

    inside = valkey.client()
    inside.zadd(QUEUE_NAME, {"persist:run_7:0": 1})
    inside.rpush("arq:job:persist:run_7:0", "another program's")
    async with working(valkey, job):
        await ring(queue, 1)
        await becomes(lambda: heard)
        await becomes(lambda: not left_in_queue(valkey))
    assert heard == ["persist:run_1:0"]


async def test_rings_that_come_again_while_their_job_is_under_way_start_it_once_more_after_its_end(
    valkey: ValkeyServer, queue: PersistQueue
) -> None:
    begun: list[str] = []
    over = asyncio.Event()

    async def job(ctx: dict[Any, Any], _argument: Any) -> None:
        begun.append(ctx["job_id"])
        await over.wait()

    async with working(valkey, job) as worker:
        await ring(queue, 0)
        await becomes(lambda: begun)
        for _ in range(2):
            await ring(queue, 0)
            await becomes(lambda: not left_in_queue(valkey))
        await ring(queue, 1)
        await becomes(lambda: len(begun) == 2)
        over.set()
        await becomes(lambda: worker.jobs_complete == 3)
    assert begun == ["persist:run_0:0", "persist:run_1:0", "persist:run_0:0"]


async def test_jobs_that_are_cancelled_end_neither_arqs_loop_nor_its_way_to_stop(
    valkey: ValkeyServer, queue: PersistQueue
) -> None:
    begun = asyncio.Event()

    async def job(_ctx: dict[Any, Any], _argument: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    async with working(valkey, job) as worker:
        await ring(queue, 0)
        await begun.wait()
        [task] = worker.tasks.values()
        task.cancel()
        await becomes(lambda: worker.jobs_failed == 1)
        await becomes(lambda: not worker.tasks)


@pytest.mark.parametrize("how", [WORKER, ARQ], ids=["python -m worker", "arq"])
async def test_a_ring_leaves_the_queue_with_its_taking_however_the_worker_was_started(
    quick_scene: Scene, how: Start
) -> None:
    scene = quick_scene
    scene.stub.always(ADD_PATH, hang())
    run_id = await scene.turn()
    with InstanceProcess(scene.root, how=how) as worker:
        await worker.logged("worker.ready")
        await scene.ring(run_id)
        await scene.adds(1)
        assert left_in_queue(scene.valkey) == []
        scene.stub.release()
        await scene.reaches(run_id, State.FLUSHED)
