"""The service that gives what is stored its vectors a moment later, whoever stored it and whatever fails in between."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from beaver.clock import Clock
from beaver.counting import Counted
from beaver.db.engine import Database
from beaver.errors import BeaverError, Unavailable
from beaver.logs import get_logger
from beaver.memory.embedding.backfill import BackFill
from beaver.memory.embedding.figures import EncodingFigures
from beaver.memory.embedding.migration import Coverage, FormerEncoders, Migration, coverage_of, no_former_encoders
from beaver.memory.inference.port import AskedToWait, Encoder

SWEEP_S: Final = 60.0
"""How often it looks for what nobody rang for: another process's, left behind."""
RETRY_FIRST_S: Final = 1.0
RETRY_MAX_S: Final = 60.0
FLUSH_WAITS_S: Final = 1.0
"""How long a flush waits for its session's vectors."""
CLOSE_WAITS_S: Final = 0.5
"""How long a close waits for the vectors of summaries that have not rested yet: nobody may start it again for days."""
PROGRESS_EVERY_S: Final = 0.5


class EmbeddingService:
    """Owns the encoder, and a task between `start` and `close`. Several processes over one database do no harm.

    A failure is logged and tried again, after 1 s at first and at most a minute, or when the service says that it may be; a text
    that the encoder refuses three times is set aside until the next start. Another encoder than before is said in the log; when
    nothing waits for it any more, the vectors of all others are removed. Without an encoder nothing is ever encoded, and nobody
    waits for it.
    """

    def __init__(
        self,
        database: Database,
        encoder: Encoder | None,
        clock: Clock,
        *,
        former_encoders: FormerEncoders = no_former_encoders,
        retry_first_s: float = RETRY_FIRST_S,
    ) -> None:
        self._database = database
        self._encoder = encoder
        self._work = None if encoder is None else _Work(database, encoder, clock, former_encoders)
        self._retry_first_s = retry_first_s
        self._failures: Counter[str] = Counter()
        self._rung = asyncio.Event()
        self._waiters: list[asyncio.Future[None]] = []
        self._task: asyncio.Task[None] | None = None
        self._idle = False

    def serving(self) -> Encoder | None:
        """Whose vectors questions are to be compared with now: the encoder's, or those of the one before it while they are
        more. It changes by itself: ask for every question.
        """
        return (self._work and self._work.migration.former) or self._encoder

    def start(self) -> None:
        """Begin with what waits already. Once."""
        if self._work is not None:
            self._task = asyncio.create_task(self._run(self._work), name="embedding")

    def wake(self) -> None:
        """Say that something was stored. Never blocks, never raises."""
        self._rung.set()

    async def wait_until_done(self) -> None:
        """Return when all that was stored before this call has vectors, but for what was set aside.

        Raises the next failure if one comes first, Unavailable when the service ends before.
        """
        if self._work is None:
            return
        if self._task is None or self._task.done():
            raise Unavailable("nothing is encoded: the service does not run")
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(done)
        self.wake()
        await done

    async def progress(self, *, every_s: float = PROGRESS_EVERY_S) -> AsyncIterator[Coverage]:
        """How far the encoder's vectors are, now and then until nothing waits; nothing without an encoder.

        Raises the next failure, after which the service tries again all the same.
        """
        if self._encoder is None:
            return
        done = asyncio.ensure_future(self.wait_until_done())
        try:
            while not done.done():
                yield await coverage_of(self._database, self._encoder.model)
                await asyncio.wait([done], timeout=every_s)
            await done
        finally:
            done.cancel()
        yield await coverage_of(self._database, self._encoder.model)

    async def figures(self) -> EncodingFigures | None:
        """How it stands, or stood a moment ago; None without an encoder."""
        if self._work is None:
            return None
        now, backfill = await self._work.coverage.now(), self._work.backfill
        waiting = max(0, now.passages - now.embedded)
        return EncodingFigures(waiting, backfill.encoded, dict(self._failures), len(backfill.set_aside()))

    async def embed_conversation(
        self, conversation_id: int, since_ms: int = 0, *, deadline_s: float = FLUSH_WAITS_S
    ) -> None:
        """Encode what waits of a conversation and was observed since then (UTC epoch ms), now, for at most `deadline_s`: what
        is left, or fails, is the task's."""
        if self._work is None:
            return
        with suppress(TimeoutError, BeaverError):
            async with asyncio.timeout(deadline_s):
                while await self._work.backfill.embed_conversation_page(conversation_id, since_ms):
                    pass
        self.wake()

    async def close(self) -> None:
        """End the task and close the encoder; what was being encoded waits for the next start, what rested is encoded now, for
        at most half a second. Can be repeated."""
        if self._work is not None and self._idle:
            self._idle = False
            await self._work.finish()
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        _settle(self._waiters, Unavailable("the encoder's service was closed"))
        if self._work is not None:
            await self._work.close()

    async def _run(self, work: _Work) -> None:
        retry_s = self._retry_first_s
        while True:
            self._rung.clear()
            waiters, self._waiters = self._waiters, []
            failed = await work.do_all(thoroughly=bool(waiters))
            _settle(waiters, failed)
            if failed is None:
                retry_s = self._retry_first_s
                self._idle = True
                with suppress(TimeoutError):
                    async with asyncio.timeout(SWEEP_S):
                        await self._rung.wait()
                self._idle = False
            else:
                self._failures[failed.code if isinstance(failed, BeaverError) else BeaverError.code] += 1
                get_logger().warning("embedding.failed", reason=type(failed).__name__, retry_s=retry_s, exc_info=failed)
                asked_s = failed.retry_after_s if isinstance(failed, AskedToWait) else 0.0
                jittered_s = retry_s * random.uniform(0.75, 1.25)  # noqa: S311 - jitter, not a secret
                await asyncio.sleep(max(asked_s, jittered_s))
                retry_s = min(2 * retry_s, RETRY_MAX_S)


class _Work:
    """What there is to do with an encoder, which it owns."""

    def __init__(self, database: Database, encoder: Encoder, clock: Clock, former_encoders: FormerEncoders) -> None:
        self.backfill = BackFill(database, encoder, clock)
        self.migration = Migration(database, encoder.model, former_encoders)
        self.coverage = Counted(partial(coverage_of, database, encoder.model))
        self._encoder = encoder

    async def do_all(self, *, thoroughly: bool) -> Exception | None:
        """What stopped it before nothing waited any more, and no other model's vectors were left."""
        try:
            await self.migration.begin()
            while await self.backfill.embed_page(thoroughly=thoroughly):
                pass
            await self.migration.end()
        # Whatever goes wrong in here, also a bug, must not end the task: what waits is found by full text meanwhile.
        except Exception as error:
            return error
        return None

    async def finish(self) -> None:
        """What waits by itself, as far as half a second goes."""
        with suppress(TimeoutError, BeaverError):
            async with asyncio.timeout(CLOSE_WAITS_S):
                while await self.backfill.embed_page(thoroughly=True):
                    pass

    async def close(self) -> None:
        await self.migration.close()
        await self._encoder.close()


def _settle(waiters: Sequence[asyncio.Future[None]], failed: Exception | None) -> None:
    for waiter in waiters:
        if waiter.done():
            continue
        if failed is None:
            waiter.set_result(None)
        else:
            waiter.set_exception(failed)
