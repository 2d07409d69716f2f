"""Redis as the limits use it: asked within a bound, left alone for a while once it failed, and never in a request's way.

A limit that cannot be counted is not kept: an answer matters more than a count.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from redis.asyncio import Redis

from beaver.client.queue_faults import WORLD, fault_words, no_answer
from beaver.client.redis_urls import connection_pool, queue_place
from beaver.logs import get_logger

T = TypeVar("T")

ANSWER_S: Final = 0.1
PAUSE_S: Final = 1.0
CONNECTIONS_MAX: Final = 50
# Longer than a caller waits: a connection over a slow way is made behind its back, and serves the next one.
SOCKET_S: Final = 1.0
KEY_PREFIX: Final = "beaver:limits"
"""What every key of the limits begins with."""


class LimitRedis:
    """One client for the limits of a process. Owns its connections and what it still waits for: `aclose` at the end."""

    def __init__(
        self,
        url: str,
        *,
        answer_s: float = ANSWER_S,
        pause_s: float = PAUSE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`url` as `parse_queue_url` takes it. Connects nothing. Raises ConfigError."""
        self._place = queue_place(url)
        socket_s = max(SOCKET_S, answer_s)
        self.pool = connection_pool(url, socket_timeout_s=socket_s, connections_max=CONNECTIONS_MAX, retry=None)
        self.client: Redis = Redis(connection_pool=self.pool)
        self._answer_s = answer_s
        self._pause_s = pause_s
        self._clock = clock
        self.trouble: str | None = None
        """Why it cannot be used, as far as is known; None while it can."""
        self._ask_again_at = 0.0
        self._running: set[asyncio.Task[Any]] = set()

    async def ask(self, question: Callable[[], Awaitable[T]]) -> T | None:
        """The answer to a question that asks `client`; None when it fails, is late, or another has failed just now.

        A late one goes on by itself. Raises nothing that the server or the way to it can be the cause of.
        """
        if self.trouble is not None:
            if self._clock() < self._ask_again_at:
                return None
            # One request finds out whether it is back; those beside it do not wait with it.
            self._ask_again_at = self._clock() + self._pause_s
        task = asyncio.create_task(_asked(question))
        self._running.add(task)
        task.add_done_callback(self._forget)
        await asyncio.wait({task}, timeout=self._answer_s)
        return self._judged(task)

    async def aclose(self) -> None:
        """Close every connection, abandoning what still runs; idempotent."""
        for task in list(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self.pool.disconnect()

    def _judged(self, task: asyncio.Task[T]) -> T | None:
        if not task.done():
            self._fell(no_answer(self._place))
            return None
        error = task.exception()
        if isinstance(error, WORLD):
            self._fell(fault_words(error, self._place))
            return None
        self._rose()
        return task.result()

    def _fell(self, reason: str) -> None:
        self._ask_again_at = self._clock() + self._pause_s
        if self.trouble is None:
            get_logger().warning("limits.not_kept", reason=reason, place=self._place)
        self.trouble = reason

    def _rose(self) -> None:
        if self.trouble is not None:
            self.trouble = None
            get_logger().info("limits.kept_again", place=self._place)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()


async def _asked(question: Callable[[], Awaitable[T]]) -> T:
    return await question()
