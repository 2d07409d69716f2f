"""The doorbell keeps its contract on fakeredis and on a real Valkey; what only a real server can do comes after."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any, cast

import fakeredis
import pytest
from arq.connections import ArqRedis
from fakeredis.aioredis import FakeAsyncRedisConnection
from redis.asyncio import ConnectionPool
from redis.exceptions import ConnectionError as RedisConnectionError

from beaver.client.jobs import PersistQueue, arq_redis, decode_job, encode_job, over_pool
from beaver.client.redis_urls import queue_place
from beaver.errors import ConfigError
from beaver.schemas.jobs import PERSIST_FUNCTION, QUEUE_NAME, PersistJob
from tests.support.valkey import ValkeyServer

JOB = PersistJob(run_id="run_1", generation=0, traceparent="00-a-b-01")


PATIENT_MS = 10_000
"""These tests are about what arrives, on a machine that may stand still for a while."""


class Place:
    """A queue and a blocking client for looking inside the same server."""

    def __init__(self, queue: PersistQueue, inside: Any) -> None:
        self.queue = queue
        self.inside = inside


@pytest.fixture(params=["fakeredis", "valkey"])
async def place(request: pytest.FixtureRequest) -> AsyncIterator[Place]:
    if request.param == "valkey":
        server: ValkeyServer = request.getfixturevalue("valkey")
        opened = Place(PersistQueue.open(server.url, timeout_ms=PATIENT_MS), server.client())
    else:
        fake = fakeredis.FakeServer()
        pool = ConnectionPool(connection_class=FakeAsyncRedisConnection, server=fake)
        queue = PersistQueue(lambda: over_pool(pool), timeout_ms=PATIENT_MS, place="fake")
        opened = Place(queue, fakeredis.FakeRedis(server=fake))
    yield opened
    await opened.queue.aclose()


async def test_a_ring_puts_the_job_in_the_queue_as_json_under_its_own_id(place: Place) -> None:
    assert await place.queue.enqueue(JOB)
    assert place.inside.zrange(QUEUE_NAME, 0, -1) == [b"persist:run_1:0"]
    stored = json.loads(place.inside.get("arq:job:persist:run_1:0"))
    assert stored["f"] == PERSIST_FUNCTION
    assert stored["a"] == [{"version": 1, "run_id": "run_1", "generation": 0, "traceparent": "00-a-b-01"}]
    assert stored["k"] == {}


async def test_the_same_ring_twice_is_one_job_and_both_succeed(place: Place) -> None:
    assert await place.queue.enqueue(JOB)
    assert await place.queue.enqueue(JOB)
    assert place.inside.zcard(QUEUE_NAME) == 1


async def test_a_further_generation_is_a_job_of_its_own(place: Place) -> None:
    assert await place.queue.enqueue(JOB)
    assert await place.queue.enqueue(JOB.model_copy(update={"generation": 1}))
    assert place.inside.zcard(QUEUE_NAME) == 2


async def test_many_rings_at_once_all_arrive(place: Place) -> None:
    jobs = [PersistJob(run_id=f"run_{number}", generation=0) for number in range(60)]
    assert all(await asyncio.gather(*map(place.queue.enqueue, jobs)))
    assert place.inside.zcard(QUEUE_NAME) == 60


async def test_a_job_outlives_a_long_backlog(place: Place) -> None:
    await place.queue.enqueue(JOB)
    assert place.inside.ttl("arq:job:persist:run_1:0") > 6 * 86_400


async def test_standing_names_the_jobs_that_are_still_queued(place: Place) -> None:
    await place.queue.enqueue(JOB)
    absent = PersistJob(run_id="run_2", generation=0)
    assert await place.queue.standing([JOB, absent]) == frozenset({JOB.job_id})


async def test_ping_says_whether_the_queue_answers(place: Place) -> None:
    assert await place.queue.ping() is True


def test_what_json_cannot_say_becomes_the_name_of_its_type() -> None:
    assert decode_job(encode_job({"r": ValueError("with words in it")})) == {"r": "ValueError"}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://someone:hunter2secret@cache.example:6380/3?password=hunter2secret", "redis://cache.example:6380/3"),
        ("rediss://:hunter2secret@cache.example", "rediss://cache.example"),
        ("unix:///run/valkey.sock?password=hunter2secret", "unix:///run/valkey.sock"),
    ],
)
def test_no_repr_and_no_place_shows_the_password(url: str, shown: str) -> None:
    assert queue_place(url) == shown
    assert repr(PersistQueue.open(url)) == f"PersistQueue({shown})"


@pytest.mark.parametrize(
    "url", ["sentinel://a:1,b:2", "http://cache", "redis://cache/?nonsense=hunter2secret", "redis://cache?db=x"]
)
def test_a_url_that_cannot_be_used_is_refused_without_its_value(url: str) -> None:
    with pytest.raises(ConfigError, match=r"queue\.redisUrl") as refused:
        PersistQueue.open(url)
    assert "hunter2secret" not in str(refused.value)


async def test_a_server_that_is_down_gives_false_at_once_and_is_used_again_when_back(valkey: ValkeyServer) -> None:
    queue = PersistQueue.open(valkey.url, timeout_ms=PATIENT_MS)
    assert await queue.enqueue(JOB)
    valkey.kill()
    try:
        assert await queue.enqueue(PersistJob(run_id="run_2", generation=0)) is False
        assert await queue.ping() is False
        assert await queue.standing([JOB]) is None
    finally:
        valkey.start()
    assert await queue.enqueue(PersistJob(run_id="run_3", generation=0)) is True
    await queue.aclose()


async def test_a_frozen_server_costs_no_more_than_the_budget_and_no_connection_for_good(valkey: ValkeyServer) -> None:
    queue = PersistQueue.open(valkey.url, timeout_ms=300)
    assert await queue.enqueue(JOB)

    async def timed(number: int) -> tuple[bool, float]:
        started = time.monotonic()
        rung = await queue.enqueue(PersistJob(run_id=f"run_{number}", generation=0))
        return rung, time.monotonic() - started

    valkey.freeze()
    try:
        frozen = await asyncio.gather(*(timed(number) for number in range(100, 160)))
        one_more = await timed(160)
    finally:
        valkey.thaw()
    assert not any(rung for rung, _ in [*frozen, one_more])
    assert max(seconds for _, seconds in [*frozen, one_more]) < 0.45
    thawed = [await queue.enqueue(PersistJob(run_id=f"run_{number}", generation=1)) for number in range(200, 240)]
    assert all(thawed)
    await queue.aclose()


async def test_a_ring_whose_client_is_closed_by_another_that_failed_gives_false() -> None:
    queue = PersistQueue(lambda: cast(ArqRedis, Torn()), timeout_ms=5_000, place="torn")
    assert not any(await asyncio.gather(queue.enqueue(JOB), queue.enqueue(JOB)))


class Torn:
    """A client whose first ring fails; the second one is still at it when the client is closed, as redis-py takes that."""

    def __init__(self) -> None:
        self._rings = 0
        self._closed = asyncio.Event()

    async def enqueue_job(self, *_: Any, **__: Any) -> None:
        self._rings += 1
        if self._rings == 1:
            raise RedisConnectionError
        await self._closed.wait()
        raise AttributeError("'NoneType' object has no attribute 'writelines'")

    async def aclose(self, **_: Any) -> None:
        self._closed.set()


async def test_a_server_that_refuses_to_write_gives_false(valkey: ValkeyServer) -> None:
    queue = PersistQueue.open(valkey.url, timeout_ms=PATIENT_MS)
    valkey.client().config_set("maxmemory", "1")
    try:
        assert await queue.enqueue(JOB) is False
    finally:
        valkey.client().config_set("maxmemory", "0")
    assert await queue.enqueue(JOB) is True
    await queue.aclose()


async def test_cancelling_a_ring_passes_through(valkey: ValkeyServer) -> None:
    queue = PersistQueue.open(valkey.url, timeout_ms=5_000)
    valkey.freeze()
    try:
        ring = asyncio.create_task(queue.enqueue(JOB))
        await asyncio.sleep(0)
        ring.cancel()
        with pytest.raises(asyncio.CancelledError):
            await ring
    finally:
        valkey.thaw()
    await queue.aclose()


async def test_the_shared_client_speaks_json_both_ways(valkey: ValkeyServer) -> None:
    redis = arq_redis(valkey.url, socket_timeout_s=1)
    queue = PersistQueue.open(valkey.url, timeout_ms=PATIENT_MS)
    await queue.enqueue(JOB)
    queued = await redis.queued_jobs()
    assert [list(job.args) for job in queued] == [[JOB.model_dump()]]
    await redis.aclose(close_connection_pool=True)
    await queue.aclose()
