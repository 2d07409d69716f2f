"""One careful look at the queue server before it is relied on: what kind it is, what it allows, whether it evicts."""

from __future__ import annotations

from typing import Any, Final

from redis.asyncio import Redis

from beaver.errors import Unavailable
from beaver.schemas.jobs import QUEUE_NAME

LOOK_MS: Final = 5_000
"""How long what the look writes may stay, should its removal fail."""

_JOB: Final = "arq:job:beaver-check"
_QUEUE: Final = f"{QUEUE_NAME}:check"
_SCRIPT: Final = "return 1"


async def look_at_server(redis: Redis) -> tuple[str, ...]:
    """Warnings about a server that can be used.

    Raises Unavailable for a kind that cannot be, and what the client raises: NoPermissionError for the first command
    that a ring or its taking needs and this user may not run. Every such command runs once, on keys of its own, which
    are removed.
    """
    await redis.ping()
    facts = await redis.info()
    _refuse_kind(facts)
    await _try_commands(redis)
    return tuple(_warnings(facts))


def _refuse_kind(facts: dict[str, Any]) -> None:
    # Valkey's name, then the one of Redis and of older Valkeys.
    mode, role = facts.get("server_mode", facts.get("redis_mode")), facts.get("role")
    if mode == "cluster":
        raise Unavailable("is a Redis Cluster, which arq cannot use: take a single server or Sentinel")
    if mode == "sentinel":
        raise Unavailable("is a Sentinel: write the URL as sentinel://host:port/service")
    if role == "slave":
        raise Unavailable("is a replica and takes no writes: name the master, or use sentinel://")


async def _try_commands(redis: Redis) -> None:
    await redis.dbsize()
    await redis.zcard(_QUEUE)
    await redis.zcard(QUEUE_NAME)
    await redis.zrangebyscore(_QUEUE, min="-inf", max="+inf", start=0, num=1)
    async with redis.pipeline(transaction=True) as pipe:
        await pipe.watch(_JOB)
        await pipe.exists(_JOB)
        await pipe.zscore(_QUEUE, _JOB)
        pipe.multi()  # type: ignore[no-untyped-call]
        pipe.psetex(_JOB, LOOK_MS, "")
        pipe.zadd(_QUEUE, {_JOB: 1})
        pipe.get(_JOB)
        pipe.zrem(_QUEUE, _JOB)
        pipe.delete(_JOB, _QUEUE)
        await pipe.execute()
    await redis.register_script(_SCRIPT)()
    async with redis.pipeline(transaction=True) as pipe:
        await pipe.watch(_JOB)
        await pipe.unwatch()  # type: ignore[no-untyped-call]


def _warnings(facts: dict[str, Any]) -> list[str]:
    policy = facts.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        return [f"may evict jobs (maxmemory-policy is {policy}): set it to noeviction"]
    return []
