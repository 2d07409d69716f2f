"""Which worker processes live: each writes a row again and again, by the database's clock, and takes it away at its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import delete, select

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import worker_heartbeats

BEAT_EVERY_S: Final = 5.0
FRESH_MS: Final = 15_000
"""A worker not seen for longer than three beats is taken for dead."""

KEPT_MS: Final = 86_400_000
"""How long the row of a worker that ended without a word stays for people to find."""


@dataclass(frozen=True)
class Heartbeat:
    """What a worker says of itself. `in_flight`: turns it works on now."""

    worker_id: str
    host: str
    pid: int
    version: str
    in_flight: int
    draining: bool


@dataclass(frozen=True)
class SeenWorker:
    """A worker as last seen. `age_ms` and `alive` are by the database's clock at the moment of asking."""

    worker_id: str
    host: str
    pid: int
    version: str
    started_ms: int
    seen_ms: int
    in_flight: int
    draining: bool
    age_ms: int

    @property
    def alive(self) -> bool:
        """Whether it was seen within the last three beats."""
        return self.age_ms <= FRESH_MS


class HeartbeatStore:
    """The rows of the workers. Every method runs inside the caller's transaction."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect

    async def beat(self, tx: Transaction, beat: Heartbeat) -> None:
        """Write that a worker lives. Its first beat says when it started."""
        now = self._dialect.now_ms()
        row = self._dialect.insert(worker_heartbeats).values(**vars(beat), started_ms=now, seen_ms=now)
        fresh = {name: row.excluded[name] for name in ("seen_ms", "in_flight", "draining")}
        await tx.execute(row.on_conflict_do_update(index_elements=["worker_id"], set_=fresh))

    async def forget(self, tx: Transaction, worker_id: str) -> None:
        """Take away the row of a worker that ends."""
        await tx.execute(delete(worker_heartbeats).where(worker_heartbeats.c.worker_id == worker_id))

    async def forget_lost(self, tx: Transaction) -> None:
        """Take away rows of workers that were not seen for a day."""
        lost = worker_heartbeats.c.seen_ms < self._dialect.now_ms() - KEPT_MS
        await tx.execute(delete(worker_heartbeats).where(lost))

    async def list_workers(self, tx: Transaction) -> list[SeenWorker]:
        """Every worker with a row, the longest running first; also those that died without a word."""
        age = (self._dialect.now_ms() - worker_heartbeats.c.seen_ms).label("age_ms")
        order = (worker_heartbeats.c.started_ms, worker_heartbeats.c.worker_id)
        found = await tx.execute(select(worker_heartbeats, age).order_by(*order))
        return [SeenWorker(**row._mapping) for row in found]

    async def live_workers(self, tx: Transaction) -> list[SeenWorker]:
        """Those seen within the last three beats."""
        return [worker for worker in await self.list_workers(tx) if worker.alive]
