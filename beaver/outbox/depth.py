"""How many turns stand where, for whoever asks again and again: those that need nobody are, once many, counted now and then."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Final

from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.logs import get_logger
from beaver.outbox.inspection import LedgerStats, OutboxInspection
from beaver.outbox.states import SETTLED, State

FEW: Final = 100_000
"""So many are counted each time: within some milliseconds."""
REST_S_A_MILLION: Final = 60.0
"""For so long a count of more is good. A database counts a million in 0.1 to 0.2 s."""
WAITED_S: Final = 1.0
"""For a count that takes longer nobody waits: what was known before is told."""


class LedgerDepth:
    """The counts of one ledger, as one process tells them. Close it at the end."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds."""
        self._database = database
        self._clock = clock
        self._inspection = OutboxInspection(database.dialect)
        self._settled: Mapping[State, int] = {}
        self._good_until = -1.0
        self._counting: asyncio.Task[None] | None = None

    async def stats(self) -> LedgerStats:
        """Of what is under way or went wrong the truth of this moment; what nobody could count yet is missing.

        Raises Unavailable when the database cannot serve.
        """
        async with self._database.read() as tx:
            seen = await self._inspection.stats(tx, frozenset(State) - SETTLED)
        settled = await self._counted()
        counts = {**seen.counts, **settled}
        return LedgerStats({state: counts[state] for state in State if state in counts}, seen.oldest_pending_age_ms)

    async def aclose(self) -> None:
        """Count no more."""
        if self._counting is not None:
            self._counting.cancel()
            await asyncio.wait({self._counting})

    async def _counted(self) -> Mapping[State, int]:
        if self._counting is None and self._clock() >= self._good_until:
            self._counting = asyncio.create_task(self._count())
        if self._counting is not None:
            await asyncio.wait({self._counting}, timeout=WAITED_S)
        return self._settled

    async def _count(self) -> None:
        try:
            async with self._database.read() as tx:
                self._settled = (await self._inspection.stats(tx, SETTLED)).counts
            many = sum(self._settled.values())
            self._good_until = self._clock() + (0 if many <= FEW else REST_S_A_MILLION * many / 1e6)
        except Unavailable as error:
            get_logger().warning("ledger.not_counted", reason=str(error))
        finally:
            self._counting = None
