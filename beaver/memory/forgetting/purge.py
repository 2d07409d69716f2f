"""The last traces: FTS5 keeps deleted words until its segments merge, SQLite its log until it is emptied.

Every forgetting notes in its own transaction that traces are left, so that a crash before the purge leaves it to the next start.
On PostgreSQL deleted rows lie in their pages, dead, until a vacuum: it is asked for here, for its own may come late.
"""

from __future__ import annotations

import asyncio
from typing import Final

from beaver.db.engine import Database, Transaction
from beaver.errors import Unavailable
from beaver.ids import IdSource
from beaver.logs import get_logger
from beaver.memory.forgetting import purge_store
from beaver.memory.tables import (
    FULLTEXT_TABLE,
    documents,
    embedding_pieces,
    embeddings,
    messages,
    observation_archive,
    observation_history,
    observation_labels,
    observations,
    passages,
    people,
    session_summaries,
)

PAGES_A_STEP: Final = 500
"""How much of the index one transaction merges: writers wait for one step at most."""
CHANGES_OF_A_STEP: Final = 2
"""Fewer rows changed are FTS5's sign that everything is merged."""

WORDY_TABLES: Final = (
    *(
        table.name
        for table in (
            messages,
            documents,
            observations,
            observation_labels,
            observation_history,
            observation_archive,
            session_summaries,
            people,
            passages,
            embeddings,
            embedding_pieces,
        )
    ),
    FULLTEXT_TABLE,
)
"""Tables whose rows hold what was said, or can be read back to it."""


class Purger:
    """Clears the traces in the background, one purge at a time; those asked for meanwhile share the next."""

    def __init__(self, database: Database, new_id: IdSource) -> None:
        self._database = database
        self._new_id = new_id
        self._running: asyncio.Task[None] | None = None
        self._vacuuming: asyncio.Task[None] | None = None
        self._again = False
        self._closed = False

    async def note(self, tx: Transaction) -> None:
        """Say that this transaction leaves traces."""
        await purge_store.note(tx, self._new_id("purge"))

    def start(self) -> None:
        """Begin to clear what is noted, now or after the purge that runs."""
        self._again = True
        if self._running is None:
            self._running = asyncio.create_task(self._run())

    async def wait_until_done(self) -> None:
        """Return when what was noted before this call is cleared, or could not be (then the next start tries again)."""
        while (running := self._running) is not None:
            await asyncio.wait({running})
            if self._running is running:  # ended before its first step, it did not come to its own end
                self._running = None

    async def close(self) -> None:
        """Stop after the step under way; what is not cleared yet stays noted.

        Not by a cancellation: the database's thread would still work on the step, and answer to nobody. Only a server's
        vacuum is told to end, since it may take long.
        """
        self._closed = True
        if self._vacuuming is not None:
            self._vacuuming.cancel()
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
        async with self._database.read() as tx:
            noted = await purge_store.noted(tx)
        if noted is None:
            return
        is_sqlite = self._database.dialect.name == "sqlite"
        if await (self._merge_and_empty() if is_sqlite else self._vacuum()):
            async with self._database.write() as tx:
                await purge_store.clear(tx, noted)

    async def _vacuum(self) -> bool:
        """False when it could not be done to the end."""
        for table in WORDY_TABLES:
            if self._closed:
                return False
            self._vacuuming = asyncio.create_task(self._database.vacuum(table))
            try:
                await asyncio.wait({self._vacuuming})
                if self._vacuuming.cancelled():
                    return False
                self._vacuuming.result()
            finally:
                self._vacuuming = None
        return True

    async def _merge_and_empty(self) -> bool:
        """False when it could not be done to the end."""
        step = -PAGES_A_STEP  # a negative number begins a merge of everything
        while await self._merge(step):
            if self._closed:
                return False
            step = PAGES_A_STEP
        return await self._database.empty_log()

    async def _merge(self, pages: int) -> bool:
        """One step; False when there was nothing left to do."""
        async with self._database.write() as tx:
            return await purge_store.merge(tx, pages) >= CHANGES_OF_A_STEP
