"""What one asker may have of the chat servers: so many requests a minute, so many runs at once; each off unless set."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from beaver.config.settings import Settings
from beaver.server.guard.limit_redis import ANSWER_S, LimitRedis
from beaver.server.guard.places import R, RunPlaces, W
from beaver.server.guard.rate_check import Count
from beaver.server.telemetry.counting import uncounted


class Quotas:
    """The limits of a process. Owns their Redis client: `start`, and `aclose` when the runs have ended."""

    def __init__(
        self, redis: LimitRedis | None = None, *, count: Count | None = None, places: RunPlaces | None = None
    ) -> None:
        """Without `count` any number of requests is answered, without `places` any number of runs is begun."""
        self.count = count
        self._redis = redis
        self._places = places

    @classmethod
    def open(
        cls, settings: Settings, *, answer_s: float = ANSWER_S, refused: Callable[[str], None] = uncounted
    ) -> Quotas:
        """What is set; no request waits longer than `answer_s` for Redis. Connects nothing.

        `refused` is told which limit it was, when one lets no run begin.

        Raises ConfigError for a URL of Redis that cannot be used.
        """
        per_minute, runs_max = settings.server.rate_limit_per_minute, settings.server.runs_per_key
        if per_minute is None and runs_max is None:
            return cls()
        redis = LimitRedis(settings.redis_url, answer_s=answer_s)
        places = None if runs_max is None else RunPlaces(redis, runs_max, refused=refused)
        return cls(redis, count=None if per_minute is None else _count(redis, per_minute), places=places)

    async def during(
        self,
        asker: str,
        wanted: Callable[[], Awaitable[W]],
        begin: Callable[[Callable[[], Awaitable[W]]], Awaitable[R]],
    ) -> R:
        """As `RunPlaces.during` says; without a bound simply what `begin` begins."""
        if self._places is None:
            return await begin(wanted)
        return await self._places.during(asker, wanted, begin)

    def start(self) -> None:
        """Begin to renew the places of runs."""
        if self._places is not None:
            self._places.start()

    async def aclose(self) -> None:
        """Close all; idempotent."""
        if self._places is not None:
            await self._places.aclose()
        if self._redis is not None:
            await self._redis.aclose()


def _count(redis: LimitRedis, per_minute: int) -> Count:
    # Here, since the library takes its time to load and most servers set no limit.
    from beaver.server.guard.rates import RateLimit

    return RateLimit(redis, per_minute).count
