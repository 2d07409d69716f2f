"""How many turns stand where, for whoever asks again and again: those that need nobody are, once many, counted now and then."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Final

from beaver.counting import Counted
from beaver.db.engine import Database
from beaver.outbox.inspection import LedgerStats, OutboxInspection
from beaver.outbox.states import SETTLED, State

WAITED_S: Final = 1.0
"""For a count that takes longer nobody waits: what was known before is told."""


class LedgerDepth:
    """The counts of one ledger, as one process tells them. Close it at the end."""

    def __init__(self, database: Database, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._inspection = OutboxInspection(database.dialect)
        self._settled = Counted(self._count, clock_s)
        self._counting: asyncio.Task[Mapping[State, int]] | None = None
        self._known: Mapping[State, int] = {}

    async def stats(self) -> LedgerStats:
        """Of what is under way or went wrong the truth of this moment; what nobody could count yet is missing.

        Raises Unavailable when the database cannot serve.
        """
        async with self._database.read() as tx:
            seen = await self._inspection.stats(tx, frozenset(State) - SETTLED)
        counts = {**seen.counts, **await self._counted()}
        return LedgerStats({state: counts[state] for state in State if state in counts}, seen.oldest_pending_age_ms)

    async def aclose(self) -> None:
        """Count no more."""
        if self._counting is not None:
            self._counting.cancel()
            await asyncio.wait({self._counting})

    async def _counted(self) -> Mapping[State, int]:
        counting = self._counting = self._counting or asyncio.create_task(self._settled.now())
        await asyncio.wait({counting}, timeout=WAITED_S)
        if counting.done():
            self._counting = None if self._counting is counting else self._counting
            self._known = counting.result()
        return self._known

    async def _count(self) -> Mapping[State, int]:
        async with self._database.read() as tx:
            return (await self._inspection.stats(tx, SETTLED)).counts
