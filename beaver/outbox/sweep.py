"""The sweeper: judges turns whose holder is gone, each in a transaction of its own, and says which rings follow."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from beaver.db.engine import Database
from beaver.outbox.states import State
from beaver.outbox.store import OutboxStore
from beaver.schemas.jobs import PersistJob

SWEEP_ROWS_MAX: Final = 200


@dataclass(frozen=True)
class Swept:
    """What one sweep found: how many turns it put into which state, and the rings to send now."""

    states: Counter[State]
    rings: tuple[PersistJob, ...]


async def sweep_orphans(database: Database, store: OutboxStore, actor: str, *, limit: int = SWEEP_ROWS_MAX) -> Swept:
    """Judge up to `limit` orphans. Nothing is sent to the Gateway from here, ever.

    Safe beside any number of other sweepers and late owners: the row is judged again under its lock. Raises
    Unavailable when the database cannot serve; what was judged before that stands.
    """
    async with database.read() as tx:
        orphans = await store.orphans(tx, limit=limit)
    states: Counter[State] = Counter()
    rings: list[PersistJob] = []
    for run_id in orphans:
        async with database.write() as tx:
            resolved = await store.resolve_orphan(tx, run_id, actor)
        if resolved is not None:
            state, ring = resolved
            states[state] += 1
            rings += [ring] if ring is not None else []
    return Swept(states, tuple(rings))
