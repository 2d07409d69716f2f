"""The relay: rings the queue again for what has waited too long, so that Redis may forget everything at any moment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from beaver.client.jobs import PersistQueue
from beaver.db.engine import Database
from beaver.outbox.store import OutboxStore
from beaver.outbox.turns import DueRow
from beaver.schemas.jobs import PersistJob

RELAY_ROWS_MAX: Final = 200


async def relay_due(database: Database, store: OutboxStore, queue: PersistQueue, *, limit: int = RELAY_ROWS_MAX) -> int:
    """Ring for up to `limit` rows that are due; returns how many rings the queue took.

    A ring is committed to the ledger before it is sent, so that two relays never send the same one; one that is
    lost after that is sent again when it is due again. A queue that does not answer costs a row nothing.
    Raises Unavailable when the database cannot serve.
    """
    async with database.read() as tx:
        due = await store.due(tx, limit=limit)
    if not due:
        return 0
    standing = await queue.standing([row.last_ring for row in due])
    if standing is None:
        return 0
    return await ring_all(queue, await _commit_rings(database, store, due, standing))


async def ring_all(queue: PersistQueue, jobs: Iterable[PersistJob]) -> int:
    """Enqueue jobs until the queue first fails to answer; returns how many it took. The ledger remembers the others."""
    rung = 0
    for job in jobs:
        if not await queue.enqueue(job):
            break
        rung += 1
    return rung


async def _commit_rings(
    database: Database, store: OutboxStore, due: list[DueRow], standing: frozenset[str]
) -> list[PersistJob]:
    async with database.write() as tx:
        await store.postpone(tx, [row for row in due if row.last_ring.job_id in standing])
        return await store.ring(tx, [row for row in due if row.last_ring.job_id not in standing])
