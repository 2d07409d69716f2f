"""Redis beside the requests: late, frozen, gone and back; never in a request's way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import structlog

from beaver.server.guard.limit_redis import LimitRedis
from tests.support.valkey import ValkeyServer
from tests.support.waiting import wait_until


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def redis(valkey: ValkeyServer, clock: Clock) -> AsyncIterator[LimitRedis]:
    opened = LimitRedis(valkey.url, answer_s=10, pause_s=1, clock=clock)
    yield opened
    await opened.aclose()


class Question:
    """A question that counts how often it was asked, and answers as it is told to."""

    def __init__(self, answer: Callable[[], Awaitable[str]]) -> None:
        self.asked = 0
        self._answer = answer

    async def __call__(self) -> str:
        self.asked += 1
        return await self._answer()


async def _well() -> str:
    return "well"


async def _broken() -> str:
    raise ConnectionRefusedError


async def test_after_a_failure_it_is_left_alone_until_the_pause_is_over(redis: LimitRedis, clock: Clock) -> None:
    broken, well = Question(_broken), Question(_well)
    assert await redis.ask(broken) is None
    assert [await redis.ask(well) for _ in range(3)] == [None] * 3
    assert well.asked == 0
    clock.now = 1.0
    assert [await redis.ask(well) for _ in range(3)] == ["well"] * 3


async def test_one_request_finds_out_whether_it_is_back_and_the_others_do_not_wait(
    redis: LimitRedis, clock: Clock
) -> None:
    released = asyncio.Event()

    async def slowly() -> str:
        await released.wait()
        return "well"

    await redis.ask(Question(_broken))
    clock.now = 1.0
    slow, beside = Question(slowly), Question(_well)
    finding_out = asyncio.create_task(redis.ask(slow))
    await wait_until(lambda: _was_asked(slow), what="the one that finds out")
    assert await redis.ask(beside) is None
    released.set()
    assert (await finding_out, beside.asked) == ("well", 0)


async def test_it_is_said_once_when_limits_are_not_kept_and_once_when_they_are_again(
    redis: LimitRedis, clock: Clock
) -> None:
    with structlog.testing.capture_logs() as logged:
        for second in range(5):
            clock.now = float(second)
            assert await redis.ask(Question(_broken)) is None
        clock.now = 9.0
        for _ in range(3):
            assert await redis.ask(Question(_well)) == "well"
    assert [(entry["log_level"], entry["event"]) for entry in logged] == [
        ("warning", "limits.not_kept"),
        ("info", "limits.kept_again"),
    ]
    assert logged[0]["reason"] == "connection refused: nothing listens there"


async def test_a_frozen_server_is_not_waited_for(valkey: ValkeyServer, clock: Clock) -> None:
    redis = LimitRedis(valkey.url, answer_s=0.05, clock=clock)
    valkey.freeze()
    try:
        # What this client waits for by itself is twenty times longer.
        assert await redis.ask(redis.client.ping) is None
    finally:
        valkey.thaw()
    clock.now = 1.0

    async def back() -> bool:
        clock.now += 1.0
        return await redis.ask(redis.client.ping) is not None

    await wait_until(back, what="an answer of the thawed server")
    await redis.aclose()


async def test_a_bug_is_no_condition_of_the_world(redis: LimitRedis) -> None:
    async def wrong() -> str:
        raise KeyError("a fault of ours")

    with pytest.raises(KeyError):
        await redis.ask(Question(wrong))
    assert await redis.ask(Question(_well)) == "well"


async def _was_asked(question: Question) -> bool:
    return question.asked > 0
