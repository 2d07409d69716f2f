"""The last traces: FTS5 keeps deleted words until its segments merge, SQLite its log until it is emptied.

Every forgetting notes in its own transaction that traces are left, so that a crash before the purge leaves it to the next start.
On PostgreSQL the rows and their index entries are dead at once, and the server's own vacuum takes them from the disk.
"""

from __future__ import annotations

import asyncio
from typing import Final

from beaver.db.dialect import dialect_of
from beaver.db.engine import Database, Transaction
from beaver.errors import Unavailable
from beaver.ids import IdSource
from beaver.logs import get_logger
from beaver.memory.forgetting import purge_store

PAGES_A_STEP: Final = 500
"""How much of the index one transaction merges: writers wait for one step at most."""
CHANGES_OF_A_STEP: Final = 2
"""Fewer rows changed are FTS5's sign that everything is merged."""


class Purger:
    """Clears the traces in the background, one purge at a time; those asked for meanwhile share the next."""

    def __init__(self, database: Database, new_id: IdSource) -> None:
        self._database = database
        self._new_id = new_id
        self._running: asyncio.Task[None] | None = None
        self._again = False
        self._closed = False

    async def note(self, tx: Transaction) -> None:
        """Say that this transaction leaves traces."""
        if _leaves_traces(tx):
            await purge_store.note(tx, self._new_id("purge"))

    def start(self) -> None:
        """Begin to clear what is noted, now or after the purge that runs."""
        self._again = True
        if self._running is None:
            self._running = asyncio.create_task(self._run())

    async def wait_until_done(self) -> None:
        """Return when what was noted before this call is cleared, or could not be (then the next start tries again)."""
        while self._running is not None:
            await asyncio.wait({self._running})

    async def close(self) -> None:
        """Stop after the step under way; what is not cleared yet stays noted.

        Not by a cancellation: the database's thread would still work on the step, and answer to nobody.
        """
        self._closed = True
        await self.wait_until_done()

    async def _run(self) -> None:
        try:
            while self._again and not self._closed:
                self._again = False
                await self._purge()
        except Unavailable:
            get_logger().warning("forgetting.purge_postponed")
        finally:
            self._running = None

    async def _purge(self) -> None:
        if self._database.dialect.name != "sqlite":
            return
        async with self._database.read() as tx:
            noted = await purge_store.noted(tx)
        if noted is None:
            return
        step = -PAGES_A_STEP  # a negative number begins a merge of everything
        while await self._merge(step):
            if self._closed:
                return
            step = PAGES_A_STEP
        if await self._database.empty_log():
            async with self._database.write() as tx:
                await purge_store.clear(tx, noted)

    async def _merge(self, pages: int) -> bool:
        """One step; False when there was nothing left to do."""
        async with self._database.write() as tx:
            return await purge_store.merge(tx, pages) >= CHANGES_OF_A_STEP


def _leaves_traces(tx: Transaction) -> bool:
    return dialect_of(tx).name == "sqlite"
