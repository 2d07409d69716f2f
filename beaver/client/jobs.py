"""The doorbell: enqueues a run's persist job in Redis through arq, within a bound, and never raises for the world's conditions.

arq's defaults are replaced where they would hurt: jobs are JSON (not pickle), the pool has socket timeouts (a frozen
server would hold a caller for ever), nothing is retried (the ledger's relay rings again), jobs outlive a long backlog.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar

from arq.connections import ArqRedis
from redis.asyncio.retry import Retry

from beaver.client.queue_faults import WORLD, fault_words, no_answer
from beaver.client.queue_look import look_at_server
from beaver.client.redis_urls import connection_pool, queue_place
from beaver.clock import system_clock
from beaver.logs import get_logger
from beaver.schemas.jobs import DISTILLED_FUNCTION, PERSIST_FUNCTION, QUEUE_NAME, DistilledJob, PersistJob

T = TypeVar("T")

CONNECTIONS_MAX: Final = 20
JOB_EXPIRES_MS: Final = 7 * 86_400_000

SET_BACK: Final = timedelta(hours=1)
"""arq hides a job until its sender's time has come by the worker's clock; so much may the worker's be behind without harm."""


def encode_job(job: dict[str, Any]) -> bytes:
    """arq's job as JSON. What JSON cannot say (an exception as a result) becomes its type's name."""
    return json.dumps(job, default=lambda value: type(value).__name__).encode()


def decode_job(raw: bytes) -> dict[str, Any]:
    """The reverse of encode_job."""
    decoded: dict[str, Any] = json.loads(raw)
    return decoded


def arq_redis(
    url: str, *, socket_timeout_s: float, connections_max: int = CONNECTIONS_MAX, retry: Retry | None = None
) -> ArqRedis:
    """arq's client over a pool of our own. Connects nothing. Raises ConfigError for a URL that cannot be used.

    With `retry`, lost connections and timeouts are tried again as it says; without it nothing is.
    """
    pool = connection_pool(url, socket_timeout_s=socket_timeout_s, connections_max=connections_max, retry=retry)
    return over_pool(pool)


def over_pool(pool: Any) -> ArqRedis:
    """arq's client over a given pool, with our encoding, queue and expiry."""
    return ArqRedis(
        pool,
        job_serializer=encode_job,
        job_deserializer=decode_job,
        default_queue_name=QUEUE_NAME,
        expires_extra_ms=JOB_EXPIRES_MS,
    )


@dataclass(frozen=True)
class QueueLook:
    """What a look at the queue server found: why it cannot be used (None: it can), and what is unwise about it."""

    trouble: str | None
    warnings: tuple[str, ...] = ()


class PersistQueue:
    """Rings for turns. Share it between tasks; every method is bounded by the same wall-clock budget."""

    def __init__(self, connect: Callable[[], ArqRedis], *, timeout_ms: int, place: str) -> None:
        """`connect` makes a client (and is called again after a failure); `place` is where it leads, without a secret."""
        self._connect = connect
        self._redis = connect()
        self._timeout_s = timeout_ms / 1000
        self._place = place
        self._running: set[asyncio.Task[Any]] = set()

    @classmethod
    def open(cls, url: str, *, timeout_ms: int = 300) -> PersistQueue:
        """A queue at a URL that `parse_queue_url` takes; connects nothing. Raises ConfigError for any other."""
        return cls(
            lambda: arq_redis(url, socket_timeout_s=timeout_ms / 1000), timeout_ms=timeout_ms, place=queue_place(url)
        )

    async def enqueue(self, job: PersistJob) -> bool:
        """True: queued now, or there already. False: the queue did not take it within the budget; the ledger rings again."""
        return await self._ring(PERSIST_FUNCTION, job)

    async def ring_distilled(self, job: DistilledJob) -> bool:
        """The same for items that wait; a worker's sweeper rings again while any do."""
        return await self._ring(DISTILLED_FUNCTION, job)

    async def standing(self, jobs: Sequence[PersistJob]) -> frozenset[str] | None:
        """Ids of those jobs that still stand in the queue (waiting or running); None when the queue does not answer."""
        return await self._bounded(_standing(self._redis, [job.job_id for job in jobs]), "standing")

    async def ping(self) -> bool:
        """Whether the queue answers within the budget."""
        return await self._bounded(_done(self._redis.ping()), "ping") is not None

    async def look(self) -> QueueLook:
        """What kind of server it is, whether it allows all that is needed, and what is unwise about it. Bounded."""
        found, trouble = await self._tried(look_at_server(self._redis))
        return QueueLook(trouble, found or ())

    async def aclose(self) -> None:
        """Close every connection, abandoning what still runs; idempotent."""
        for task in list(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._redis.aclose(close_connection_pool=True)

    def __repr__(self) -> str:
        return f"PersistQueue({self._place})"

    async def _ring(self, function: str, job: PersistJob | DistilledJob) -> bool:
        ring = self._redis.enqueue_job(
            function,
            job.model_dump(),
            _job_id=job.job_id,
            _defer_until=datetime.fromtimestamp(system_clock() / 1000, UTC) - SET_BACK,
            _expires=timedelta(milliseconds=JOB_EXPIRES_MS),
        )
        return await self._bounded(_done(ring), "enqueue") is not None

    async def _bounded(self, call: Coroutine[Any, Any, T], operation: str) -> T | None:
        result, reason = await self._tried(call)
        if reason is not None:
            get_logger().warning("queue.unreachable", operation=operation, reason=reason, place=self._place)
        return result

    async def _tried(self, call: Coroutine[Any, Any, T]) -> tuple[T | None, str | None]:
        """The result and None, or None and the reason."""
        # In a task of its own: after a timeout the client's tidying up may itself wait on the frozen server, and that
        # must not be the caller's time.
        used = self._redis
        task = asyncio.create_task(call)
        self._running.add(task)
        task.add_done_callback(self._forget)
        try:
            await asyncio.wait({task}, timeout=self._timeout_s)
        finally:
            if not task.done():
                task.cancel()
        reason = _reason(task, self._place, abandoned=used is not self._redis)
        if reason is None:
            return task.result(), None
        self._replace(used)
        return None, reason

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()

    def _replace(self, broken: ArqRedis) -> None:
        # A pipeline that times out while it tidies up never gives its connection back; so a pool that saw a failure is
        # not used again.
        if broken is not self._redis:
            return
        self._redis = self._connect()
        closing = asyncio.create_task(broken.aclose(close_connection_pool=True))
        self._running.add(closing)
        closing.add_done_callback(self._forget)


async def _done(call: Any) -> bool:
    await call
    return True


async def _standing(redis: ArqRedis, job_ids: Sequence[str]) -> frozenset[str]:
    async with redis.pipeline(transaction=False) as pipe:
        for job_id in job_ids:
            pipe.zscore(QUEUE_NAME, job_id)
        scores = await pipe.execute()
    return frozenset(job_id for job_id, score in zip(job_ids, scores, strict=True) if score is not None)


def _reason(task: asyncio.Task[Any], place: str, *, abandoned: bool) -> str | None:
    """Why a call did not work, in words; None when it did. A bug is raised.

    Whatever a call comes to whose client was `abandoned` meanwhile is no bug: closing takes its connection from under it.
    """
    if not task.done() or task.cancelled():
        return no_answer(place)
    error = task.exception()
    if error is None:
        return None
    if isinstance(error, WORLD):
        return fault_words(error, place)
    if abandoned:
        return no_answer(place)
    raise error
