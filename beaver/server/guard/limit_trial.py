"""Tries all that the limits ask of Redis, under names that no caller has."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from beaver.config.settings import Settings
from beaver.server.guard.limit_redis import LimitRedis
from beaver.server.guard.places import RunPlaces

TRIED_AS: Final = "trial"
ANSWER_S: Final = 1.0


class _NoRun:
    """A run that has ended before it began."""

    task = None


async def limits_trouble(settings: Settings, *, answer_s: float = ANSWER_S) -> str | None:
    """Why the limits that are set could not be kept now, in words without a secret; None where they can, or none is set.

    Raises ConfigError for a URL of Redis that cannot be used.
    """
    per_minute, runs_max = settings.server.rate_limit_per_minute, settings.server.runs_per_key
    if per_minute is None and runs_max is None:
        return None
    redis = LimitRedis(settings.redis_url, answer_s=answer_s)
    try:
        if per_minute is not None:
            await _count(redis, per_minute)
        if runs_max is not None and redis.trouble is None:
            await _take_a_place(redis)
    finally:
        await redis.aclose()
    return redis.trouble


async def _count(redis: LimitRedis, per_minute: int) -> None:
    # Here, since the library takes its time to load.
    from beaver.server.guard.rates import RateLimit

    await RateLimit(redis, per_minute).count(TRIED_AS)


async def _take_a_place(redis: LimitRedis) -> None:
    """Taken, renewed and given back."""
    # Trials at the same time must not be in each other's way.
    places = RunPlaces(redis, 1000)

    async def wanted() -> None:
        await places.renew()

    async def begun(wished: Callable[[], Awaitable[None]]) -> _NoRun:
        await wished()
        return _NoRun()

    await places.during(TRIED_AS, wanted, begun)
    await places.aclose()
