"""Many small writes in one transaction: what waits while one is being committed goes together into the next.

Nobody waits for company: an ask that is alone is written at once. Under load a commit, and each statement, is shared.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from beaver.db.engine import Database, Transaction
from beaver.errors import Unavailable

Ask = TypeVar("Ask")
Answer = TypeVar("Answer")

Write = Callable[[Transaction, Sequence[Ask]], Awaitable[Sequence[Answer]]]
"""Writes a group and returns an answer for each ask, in their order."""


class GroupCommit(Generic[Ask, Answer]):
    """One transaction at a time, of up to `at_most` asks in the order in which they came."""

    def __init__(self, database: Database, write: Write[Ask, Answer], *, at_most: int) -> None:
        self._database = database
        self._write = write
        self._at_most = at_most
        self._waiting: deque[tuple[Ask, asyncio.Future[Answer]]] = deque()
        self._writer: asyncio.Task[None] | None = None

    async def ask(self, ask: Ask) -> Answer:
        """The answer, once it is committed.

        Raises Unavailable when the database cannot serve the group, and for a group of one whatever its write raises:
        one that cannot be written takes no other with it. Of an ask that is cancelled nothing is known: it may be
        written or not.
        """
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((ask, answer))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_all())
        return await answer

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                group = [self._waiting.popleft() for _ in range(min(self._at_most, len(self._waiting)))]
                await self._write_group([each for each in group if not each[1].done()])
        finally:
            self._writer = None
            for _, promised in self._waiting:
                promised.cancel()

    async def _write_group(self, group: Sequence[tuple[Ask, asyncio.Future[Answer]]]) -> None:
        try:
            answers = await self._commit([ask for ask, _ in group])
        except Unavailable as error:
            _fail(group, error)
        except Exception as error:
            # A fault of one of them: each is tried alone, so that it is that one's own.
            if len(group) == 1:
                _fail(group, error)
                return
            for each in group:
                await self._write_group([each])
        except asyncio.CancelledError:
            for _, promised in group:
                promised.cancel()
            raise
        else:
            for (_, promised), answer in zip(group, answers, strict=True):
                if not promised.done():
                    promised.set_result(answer)

    async def _commit(self, asks: Sequence[Ask]) -> Sequence[Answer]:
        if not asks:
            return ()
        async with self._database.write() as tx:
            return await self._write(tx, asks)


def _fail(group: Sequence[tuple[Ask, asyncio.Future[Answer]]], error: Exception) -> None:
    for _, promised in group:
        if not promised.done():
            promised.set_exception(error)
