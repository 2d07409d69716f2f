"""How many runs of one asker may be under way at once, over all servers.

Each run has a place in Redis that ends by itself unless its server renews it, so a server that dies keeps none. Places
are not counted in the session store: a run that waits for its session, or answers without memory, has no row there.
While Redis is away every server still keeps the bound by itself.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Any, Final, Protocol, TypeVar

from beaver.errors import LimitExceeded
from beaver.ids import new_id
from beaver.server.guard.limit_redis import KEY_PREFIX, LimitRedis
from beaver.server.telemetry.counting import uncounted

PLACE_S: Final = 30.0

# By Redis's own clock. KEYS: the asker's places. ARGV: most, how long a place lasts in ms, the new place.
_TAKE: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
"""
# ARGV: how long in ms, then the places. One that Redis has lost stands there again.
_RENEW: Final = """
local time = redis.call('TIME')
local till = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], till, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return #ARGV
"""


class UnderWay(Protocol):
    """What holds a place until its `task` has ended; None for a run of another process, which has its place there."""

    @property
    def task(self) -> asyncio.Task[Any] | None:
        """The run's own."""


R = TypeVar("R", bound=UnderWay)
W = TypeVar("W")


class RunPlaces:
    """The places of this process's runs. Owns their renewal: `start`, and `aclose` when the runs have ended."""

    def __init__(
        self,
        redis: LimitRedis,
        runs_max: int,
        *,
        place_s: float = PLACE_S,
        refused: Callable[[str], None] = uncounted,
    ) -> None:
        """`refused` is told `runs_per_key` when a run finds no place."""
        self._redis = redis
        self._refused = refused
        self._runs_max = runs_max
        self._place_s = place_s
        self._take = redis.client.register_script(_TAKE)
        self._renew = redis.client.register_script(_RENEW)
        self._held: defaultdict[str, set[str]] = defaultdict(set)
        self._leaving: set[asyncio.Task[None]] = set()
        self._renewal: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to renew."""
        self._renewal = asyncio.create_task(self._keep_renewing())

    async def aclose(self) -> None:
        """End; places that are still held run out by themselves. Idempotent."""
        if self._renewal is not None:
            self._renewal.cancel()
            await asyncio.wait({self._renewal})
        if self._leaving:
            await asyncio.wait(self._leaving)

    async def during(
        self,
        asker: str,
        wanted: Callable[[], Awaitable[W]],
        begin: Callable[[Callable[[], Awaitable[W]]], Awaitable[R]],
    ) -> R:
        """What `begin` begins with `wanted`. Once it asks for what is wanted, a new run is to begin: that needs a place.

        The place is held until the run's `task` has ended; a run of another process has none. Raises LimitExceeded,
        and what `begin` raises.
        """
        places: list[str] = []

        async def wanted_with_a_place() -> W:
            if not places:
                places.append(await self._taken(asker))
            return await wanted()

        try:
            run = await begin(wanted_with_a_place)
        except BaseException:
            self._leave(asker, places)
            raise
        if run.task is None:
            self._leave(asker, places)
        else:
            run.task.add_done_callback(lambda _task: self._leave(asker, places))
        return run

    async def renew(self) -> None:
        """Hold every place for its full time from now on."""
        for asker, held in list(self._held.items()):
            places = tuple(held)
            # None where they were given back while those of others were renewed.
            if places:
                await self._redis.ask(partial(self._renewed, asker, places))
            if gone := set(places) - held:
                # Given back while they were renewed.
                await self._redis.ask(partial(self._removed, asker, gone))

    async def _taken(self, asker: str) -> str:
        if len(self._held.get(asker, ())) >= self._runs_max:
            raise self._refusal()
        place = new_id("place")
        # Before Redis is asked: what comes meanwhile must see it.
        self._held[asker].add(place)
        try:
            answer = await self._redis.ask(partial(self._asked_for, asker, place))
        except BaseException:
            self._leave(asker, [place])
            raise
        if answer == 0:
            self._drop(asker, place)
            raise self._refusal()
        return place

    def _leave(self, asker: str, places: Collection[str]) -> None:
        if not places:
            return
        for place in places:
            self._drop(asker, place)
        leaving = asyncio.create_task(self._left(asker, places))
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)

    def _drop(self, asker: str, place: str) -> None:
        self._held[asker].discard(place)
        if not self._held[asker]:
            del self._held[asker]

    async def _left(self, asker: str, places: Collection[str]) -> None:
        await self._redis.ask(partial(self._removed, asker, places))

    async def _keep_renewing(self) -> None:
        while True:
            await asyncio.sleep(self._place_s / 3)
            await self.renew()

    async def _asked_for(self, asker: str, place: str) -> int:
        return int(await self._take([_key(asker)], [self._runs_max, self._place_ms, place]))

    async def _renewed(self, asker: str, places: Collection[str]) -> int:
        return int(await self._renew([_key(asker)], [self._place_ms, *places]))

    async def _removed(self, asker: str, places: Collection[str]) -> int:
        return int(await self._redis.client.zrem(_key(asker), *places))

    @property
    def _place_ms(self) -> int:
        return round(self._place_s * 1000)

    def _refusal(self) -> LimitExceeded:
        self._refused("runs_per_key")
        return LimitExceeded(f"{self._runs_max} runs of this caller are under way, which is the most; try again then")


def _key(asker: str) -> str:
    return f"{KEY_PREFIX}:runs:{asker}"
