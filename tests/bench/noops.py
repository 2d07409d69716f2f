"""Bare no-op jobs through a queue library: `python -m tests.bench.noops NAME REDIS_URL JOBS` fills the queue, then works it off.

It prints the jobs done a second, from the first to the last, and waits to be killed.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from arq.connections import ArqRedis
from arq.worker import Worker, func
from redis.asyncio import ConnectionPool, Redis

from beaver.client.jobs import arq_redis
from tests.bench.plain_worker import READ_LIMIT_PER_JOB
from worker.app import POLL_DELAY_S

TUNED_JOBS = 100
AT_ONCE = 20


@dataclass
class Pace:
    """Counts jobs and prints their pace after the last."""

    jobs: int
    done: int = 0
    begun: float = 0.0

    def note(self) -> None:
        """One more."""
        self.begun = self.begun or time.perf_counter()
        self.done += 1
        if self.done == self.jobs:
            print((self.jobs - 1) / (time.perf_counter() - self.begun), flush=True)


async def arq_default(url: str, pace: Pace) -> None:
    """arq as it comes."""
    await _arq(ArqRedis(ConnectionPool.from_url(url)), pace, {})


async def arq_tuned(url: str, pace: Pace) -> None:
    """arq with the persist worker's options."""
    tuned = {
        "max_tries": 1,
        "retry_jobs": False,
        "keep_result": 0,
        "poll_delay": POLL_DELAY_S,
        "max_jobs": TUNED_JOBS,
        "queue_read_limit": TUNED_JOBS * READ_LIMIT_PER_JOB,
    }
    redis = arq_redis(url, socket_timeout_s=10)
    options = {"queue_name": redis.default_queue_name, "job_serializer": redis.job_serializer}
    await _arq(redis, pace, {**tuned, **options, "job_deserializer": redis.job_deserializer})


async def saq_tuned(url: str, pace: Pace) -> None:
    """SAQ with as many jobs at once."""
    saq: Any = import_module("saq")
    redis_queue: Any = import_module("saq.queue.redis").RedisQueue

    async def noop(_ctx: Any) -> None:
        pace.note()

    queue = redis_queue(Redis(connection_pool=ConnectionPool.from_url(url)))
    await queue.connect()
    await _in_chunks(pace.jobs, lambda number: queue.enqueue("noop", key=f"job-{number}", ttl=-1))
    await saq.Worker(queue, functions=[("noop", noop)], concurrency=TUNED_JOBS).start()


async def streaq_tuned(url: str, pace: Pace) -> None:
    """streaq with as many jobs at once; one worker cannot be entered both to enqueue and to work."""
    streaq: Any = import_module("streaq")

    async def noop() -> None:
        pace.note()

    filling, working = [streaq.Worker(redis_url=url, concurrency=TUNED_JOBS, handle_signals=False) for _ in range(2)]
    tasks = [each.task(ttl=0, name="noop")(noop) for each in (filling, working)]
    async with filling:
        await filling.enqueue_many([tasks[0].enqueue() for _ in range(pace.jobs)])
    await working.run_async()


KINDS: dict[str, Callable[[str, Pace], Coroutine[Any, Any, None]]] = {
    "arq default": arq_default,
    "arq tuned": arq_tuned,
    "saq": saq_tuned,
    "streaq": streaq_tuned,
}


def installed_kinds() -> list[str]:
    """Those whose library is here: SAQ and streaq are not among our dependencies."""
    return [name for name in KINDS if find_spec(name.split()[0])]


def jobs_a_second(kind: str, url: str, jobs: int) -> float:
    """Run one kind in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.noops", kind, url, str(jobs)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        return float(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


async def _arq(redis: ArqRedis, pace: Pace, options: dict[str, Any]) -> None:
    async def noop(ctx: dict[Any, Any]) -> None:
        pace.note()

    await _in_chunks(pace.jobs, lambda number: redis.enqueue_job("noop", _job_id=f"job-{number}"))
    await Worker([func(noop, name="noop")], redis_pool=redis, handle_signals=False, **options).main()


async def _in_chunks(jobs: int, enqueue: Callable[[int], Awaitable[Any]]) -> None:
    for start in range(0, jobs, AT_ONCE):
        await asyncio.gather(*(enqueue(number) for number in range(start, min(start + AT_ONCE, jobs))))


if __name__ == "__main__":
    _, chosen, where, count = sys.argv
    asyncio.run(KINDS[chosen](where, Pace(int(count))))
