"""What runs told while they went on, in SQL: any server can tell it again, from any point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import BigInteger, Integer, bindparam, delete, exists, insert, or_, select

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


class _Statements:
    """What every turn is told by, built once a dialect. What is not named in them are columns' own names."""

    def __init__(self, dialect: SqlDialect) -> None:
        now = dialect.now_ms()
        self.now = select(now)
        ours = or_(runs.c.error_code.is_(None), runs.c.error_code.not_in(_TAKEN_AWAY))
        known = select(runs.c.id).where(dialect.is_one_of(runs.c.id, "ids"), ours).order_by(runs.c.id)
        self.ours = known.with_for_update(read=True)
        self.append = insert(run_events).values(created_ms=now)
        told = select(run_events.c.seq, run_events.c.kind, run_events.c.payload).order_by(run_events.c.seq)
        after = (run_events.c.run_id == bindparam("of"), run_events.c.seq > bindparam("after"))
        self.after = told.where(*after).limit(bindparam("most", type_=Integer))
        under_way = exists().where(runs.c.id == run_events.c.run_id, runs.c.status.in_(UNFINISHED))
        old = run_events.c.created_ms < dialect.begun_ms() - bindparam("older", type_=BigInteger)
        self.prune = delete(run_events).where(old, ~under_way)


_statements = cache(_Statements)


class RunEventStore:
    """Streams of runs. Stateless; every method takes the open transaction first."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect
        self._made = _statements(dialect)

    async def append(self, tx: Transaction, told: Mapping[str, Sequence[StreamEvent]]) -> set[str]:
        """Append to the streams of runs; returns those of which nothing was written: they were taken away or are gone."""
        found = await tx.scalars(self._made.ours, {"ids": self._dialect.many(told)})
        ours = set(found)
        rows = [_row(run_id, event) for run_id, events in told.items() if run_id in ours for event in events]
        if rows:
            await tx.execute(self._made.append, rows)
        return set(told) - ours

    async def after(self, tx: Transaction, run_id: str, seq: int, *, limit: int = 500) -> list[StreamEvent]:
        """The stream from `seq` (exclusive) on."""
        wanted = {"of": storable_text(run_id), "after": seq, "most": limit}
        return [StreamEvent(*row) for row in await tx.execute(self._made.after, wanted)]

    async def age_ms(self, tx: Transaction, at_ms: int) -> int:
        """How long ago a time of the database was, by its own clock, in milliseconds."""
        return int((await tx.execute(self._made.now)).scalar_one()) - at_ms

    async def prune(self, tx: Transaction, *, older_ms: int) -> int:
        """Delete what runs that have ended told more than `older_ms` ago; their answers stay in the sessions' events."""
        return (await tx.execute(self._made.prune, {"older": older_ms})).rowcount


def _row(run_id: str, event: StreamEvent) -> dict[str, Any]:
    return {"run_id": run_id, "seq": event.seq, "kind": event.kind, "payload": storable_json(event.payload)}
