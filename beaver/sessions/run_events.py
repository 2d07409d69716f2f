"""What runs told while they went on, in SQL: any server can tell it again, from any point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import delete, exists, insert, select

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import run_events, runs
from beaver.sessions.records import CRASHED, SUPERSEDED, UNFINISHED
from beaver.sessions.storable import storable_json, storable_text

_TAKEN_AWAY: Final = (CRASHED, SUPERSEDED)


@dataclass(frozen=True)
class StreamEvent:
    """One event of a run's stream. `seq` counts from 1 within the run, in the order in which it happened."""

    seq: int
    kind: str
    payload: Mapping[str, Any]


class RunEventStore:
    """Streams of runs. Stateless; every method takes the open transaction first."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect

    async def append(self, tx: Transaction, run_id: str, told: Sequence[StreamEvent]) -> bool:
        """Append to a run's stream; False, and nothing written, for a run that was taken away from its process or is gone."""
        run = await tx.execute(
            select(runs.c.error_code).where(runs.c.id == storable_text(run_id)).with_for_update(read=True)
        )
        row = run.one_or_none()
        if row is None or row.error_code in _TAKEN_AWAY:
            return False
        now = self._dialect.now_ms()
        for event in told:
            values = {"run_id": run_id, "seq": event.seq, "kind": event.kind, "payload": storable_json(event.payload)}
            await tx.execute(insert(run_events).values(created_ms=now, **values))
        return True

    async def after(self, tx: Transaction, run_id: str, seq: int, *, limit: int = 500) -> list[StreamEvent]:
        """The stream from `seq` (exclusive) on."""
        wanted = (run_events.c.run_id == storable_text(run_id), run_events.c.seq > seq)
        columns = (run_events.c.seq, run_events.c.kind, run_events.c.payload)
        found = await tx.execute(select(*columns).where(*wanted).order_by(run_events.c.seq).limit(limit))
        return [StreamEvent(row.seq, row.kind, row.payload) for row in found]

    async def age_ms(self, tx: Transaction, at_ms: int) -> int:
        """How long ago a time of the database was, by its own clock, in milliseconds."""
        return int((await tx.execute(select(self._dialect.now_ms()))).scalar_one()) - at_ms

    async def prune(self, tx: Transaction, *, older_ms: int) -> int:
        """Delete what runs that have ended told more than `older_ms` ago; their answers stay in the sessions' events."""
        under_way = exists().where(runs.c.id == run_events.c.run_id, runs.c.status.in_(UNFINISHED))
        old = run_events.c.created_ms < self._dialect.now_ms() - older_ms
        return (await tx.execute(delete(run_events).where(old, ~under_way))).rowcount
