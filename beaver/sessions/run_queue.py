"""Runs before they begin and when they are to stop, in SQL: known to every server, wherever they are worked on."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import and_, insert, or_, select, update

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import runs
from beaver.sessions.records import CRASHED, QUEUED, SUPERSEDED, UNFINISHED
from beaver.sessions.storable import storable_text
from beaver.sessions.store import SessionStore


class RunQueueStore:
    """Accepts and stops runs. Stateless; every method takes the open transaction first."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect
        self._sessions = SessionStore(dialect)

    async def enqueue(self, tx: Transaction, run_id: str, session_id: str) -> None:
        """Record a run that is accepted and has not begun; its session is made where it does not exist."""
        await self._sessions.ensure_session(tx, session_id)
        now = self._dialect.now_ms()
        await tx.execute(
            insert(runs).values(id=storable_text(run_id), session_id=session_id, status=QUEUED, fence=0, created_ms=now)
        )

    async def request_stop(self, tx: Transaction, run_id: str) -> bool:
        """Ask the run's process to stop it; False when it is not under way. The first request's time stands."""
        mine = (runs.c.id == storable_text(run_id), runs.c.status.in_(UNFINISHED))
        await tx.execute(
            update(runs)
            .where(*mine, runs.c.stop_requested_ms.is_(None))
            .values(stop_requested_ms=self._dialect.now_ms())
        )
        return await tx.scalar(select(runs.c.id).where(*mine)) is not None

    async def to_stop(self, tx: Transaction, run_ids: Collection[str]) -> set[str]:
        """Those of these runs that have to stop: they were asked to, taken away, or deleted. Ended ones need not."""
        may_go_on = and_(
            or_(runs.c.error_code.is_(None), runs.c.error_code.not_in((CRASHED, SUPERSEDED))),
            or_(runs.c.status.not_in(UNFINISHED), runs.c.stop_requested_ms.is_(None)),
        )
        found = await tx.scalars(
            select(runs.c.id).where(self._dialect.is_one_of(runs.c.id, "ids"), may_go_on),
            {"ids": self._dialect.many(run_ids)},
        )
        return set(run_ids) - set(found)
