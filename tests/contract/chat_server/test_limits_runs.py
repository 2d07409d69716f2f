"""So many runs of one asker at once: over all servers, given back with the run, and not kept by a server that died."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from beaver.errors import LimitExceeded
from beaver.server.guard.limit_redis import LimitRedis
from beaver.server.guard.places import RunPlaces
from tests.contract.chat_server.limited import LimitedServers, add_key, ask, begin, stop
from tests.contract.chat_server.scene import ANSWER, NEVER
from tests.contract.chat_server.scrape import figure
from tests.support.chat_server import RunningChatServer
from tests.support.valkey import ValkeyServer
from tests.support.waiting import wait_until


@pytest.fixture
async def servers(tmp_path: Path, database_url: str, valkey: ValkeyServer) -> AsyncIterator[LimitedServers]:
    async with AsyncExitStack() as opened:
        yield LimitedServers(opened, tmp_path, database_url, valkey.url)


async def test_at_the_most_a_further_run_is_refused_by_every_server_until_one_has_ended(
    servers: LimitedServers,
) -> None:
    one = await servers.start("one", NEVER, ANSWER, runsPerKey=1)
    two = await servers.start("two", ANSWER, runsPerKey=1)
    running = await begin(one, "s-1")
    for refused in (await begin(one, "s-2"), await begin(two, "s-2"), await ask(two)):
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
        assert refused.json()["error"]["code"] == "limit_exceeded"
    assert await figure(one, "beaver_runs_refused_total", reason="runs_per_key") == 1
    assert await figure(two, "beaver_runs_refused_total", reason="runs_per_key") == 2
    await stop(two, running)
    await wait_until(lambda: _is_begun(two, "s-2"), what="a place that is free again")


async def test_each_key_has_places_of_its_own(servers: LimitedServers) -> None:
    server = await servers.start("one", NEVER, NEVER, runsPerKey=1, requireKeys=True)
    anna, ben = [await add_key(server.engine.database, key_id, "chat") for key_id in ("k1", "k2")]
    got = [(await begin(server, session, **key)).status_code for session, key in (("a", anna), ("b", anna), ("c", ben))]
    assert got == [202, 429, 202]


async def test_a_run_that_waits_for_its_session_has_a_place(servers: LimitedServers) -> None:
    server = await servers.start("one", NEVER, runsPerKey=2)
    assert [(await begin(server, "s-1")).status_code for _ in range(3)] == [202, 202, 429]


async def test_an_answer_without_memory_needs_a_place(servers: LimitedServers) -> None:
    server = await servers.start("one", NEVER, runsPerKey=1)
    await begin(server, "s-1")
    assert (await server.say("A title, please", model="beaver-no-memory")).status_code == 429


async def test_a_request_that_comes_again_goes_on_with_its_run_and_needs_no_further_place(
    servers: LimitedServers,
) -> None:
    one = await servers.start("one", NEVER, runsPerKey=1)
    two = await servers.start("two", ANSWER, runsPerKey=1)
    first, again, elsewhere = [await begin(each, "s-1", **{"Idempotency-Key": "k"}) for each in (one, one, two)]
    assert [each.status_code for each in (first, again, elsewhere)] == [202] * 3
    assert first.json()["id"] == again.json()["id"] == elsewhere.json()["id"]


async def test_a_refused_request_may_come_again_under_its_key(servers: LimitedServers) -> None:
    server = await servers.start("one", NEVER, ANSWER, runsPerKey=1)
    running = await begin(server, "s-1")
    assert (await begin(server, "s-2", **{"Idempotency-Key": "k"})).status_code == 429
    await stop(server, running)
    await wait_until(lambda: _is_begun(server, "s-2", **{"Idempotency-Key": "k"}), what="the run of a refused request")


async def test_without_redis_each_server_keeps_the_bound_by_itself(tmp_path: Path, sqlite_url: str) -> None:
    async with AsyncExitStack() as opened:
        servers = LimitedServers(opened, tmp_path, sqlite_url, "redis://127.0.0.1:1")
        one = await servers.start("one", NEVER, runsPerKey=1)
        two = await servers.start("two", NEVER, runsPerKey=1)
        begun = [(await begin(each, session)).status_code for each, session in ((one, "a"), (one, "b"), (two, "c"))]
    assert begun == [202, 429, 202]


@dataclass(frozen=True)
class _Working:
    task: asyncio.Task[None]


class _Work:
    """Stands for runs: each goes on until it is told to end."""

    def __init__(self) -> None:
        self.end = asyncio.Event()

    async def begin(self, wanted: Callable[[], Awaitable[object]]) -> _Working:
        await wanted()
        return _Working(asyncio.create_task(self._work()))

    async def _work(self) -> None:
        await self.end.wait()


async def _nothing() -> None:
    """What is wanted does not matter here."""


async def test_the_places_of_a_server_that_died_run_out(valkey: ValkeyServer) -> None:
    async with AsyncExitStack() as opened:
        # One that does not renew: nobody is there to do it.
        dead, alive = [_places(opened, valkey, place_s=place_s) for place_s in (0.5, 30)]
        work = _Work()
        running = await dead.during("key:k1", _nothing, work.begin)

        async def begun() -> bool:
            try:
                await alive.during("key:k1", _nothing, work.begin)
            except LimitExceeded:
                return False
            return True

        await wait_until(begun, what="the place of a dead server")
        work.end.set()
        await running.task


async def test_renewed_places_stand_there_even_if_redis_has_lost_them(valkey: ValkeyServer) -> None:
    async with AsyncExitStack() as opened:
        one, two = [_places(opened, valkey) for _ in range(2)]
        work = _Work()
        running = await one.during("key:k1", _nothing, work.begin)
        valkey.empty()
        await one.renew()
        with pytest.raises(LimitExceeded):
            await two.during("key:k1", _nothing, work.begin)
        work.end.set()
        await running.task


async def test_a_run_that_does_not_begin_gives_its_place_back(valkey: ValkeyServer) -> None:
    async def fails(wanted: Callable[[], Awaitable[object]]) -> _Working:
        await wanted()
        raise ValueError("no run")

    async with AsyncExitStack() as opened:
        places = _places(opened, valkey)
        for _ in range(3):
            with pytest.raises(ValueError, match="no run"):
                await places.during("key:k1", _nothing, fails)
            await wait_until(lambda: _is_empty(valkey), what="a place given back")


async def test_a_run_whose_wish_is_asked_for_again_needs_one_place(valkey: ValkeyServer) -> None:
    async with AsyncExitStack() as opened:
        places, work = _places(opened, valkey), _Work()

        async def twice(wanted: Callable[[], Awaitable[object]]) -> _Working:
            await wanted()
            return await work.begin(wanted)

        running = await places.during("key:k1", _nothing, twice)
        work.end.set()
        await running.task


async def _is_begun(server: RunningChatServer, session: str, **headers: str) -> bool:
    return (await begin(server, session, **headers)).status_code == 202


async def _is_empty(valkey: ValkeyServer) -> bool:
    return valkey.client().dbsize() == 0


def _places(opened: AsyncExitStack, valkey: ValkeyServer, *, place_s: float = 30) -> RunPlaces:
    redis = LimitRedis(valkey.url, answer_s=10)
    places = RunPlaces(redis, 1, place_s=place_s)
    opened.push_async_callback(redis.aclose)
    opened.push_async_callback(places.aclose)
    return places
