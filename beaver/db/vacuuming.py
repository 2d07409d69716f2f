"""PostgreSQL keeps deleted rows in their pages until a vacuum, whose own turn may come late: here it is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from beaver.db.engine import Database


class Vacuuming:
    """Clears some tables, one pass at a time: those who ask while one is under way share the next. Share it between tasks."""

    def __init__(self, database: Database, tables: Sequence[str]) -> None:
        self._database = database
        self._tables = tables
        self._pass = asyncio.Lock()
        self._asked = 0
        self._cleared = 0

    async def clear(self) -> None:
        """Return when a pass has ended that began after this call. Nothing to do on SQLite.

        Raises Unavailable when a table takes longer than a statement may: then it is left to the server's own vacuum.
        """
        self._asked += 1
        mine = self._asked
        async with self._pass:
            if self._cleared >= mine:
                return
            covered = self._asked
            for table in self._tables:
                await self._database.vacuum(table)
            self._cleared = covered
