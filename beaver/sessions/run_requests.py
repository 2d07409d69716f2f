"""Requests that asked for a run, in SQL: one that comes again, at whichever server, is told the same run."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, delete, or_, select, update

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import run_requests, runs


@dataclass(frozen=True)
class RunClaim:
    """Which run belongs to a request. `fresh` when this claim was the first: whoever has it must start the run."""

    run_id: str
    body_hash: str
    fresh: bool


class RunRequestStore:
    """Claims of requests. Stateless; every method takes the open transaction first."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect

    async def claim(
        self, tx: Transaction, caller: str, key: str, body_hash: str, run_id: str, *, keep_ms: int, start_ms: int
    ) -> RunClaim:
        """The run of a request; `run_id` becomes it when the request is new, or was claimed and then not begun.

        A claim is kept for `keep_ms`. One whose run nobody has recorded for `start_ms` was left by a crash.
        """
        now = self._dialect.now_ms()
        recorded = select(runs.c.id).where(runs.c.id == run_requests.c.run_id).exists()
        values = {
            "body_hash": body_hash,
            "run_id": run_id,
            "session_id": "",
            "created_ms": now,
            "expires_ms": now + keep_ms,
        }
        left = and_(run_requests.c.session_id == "", run_requests.c.created_ms <= now - start_ms, ~recorded)
        taken = await tx.scalar(
            self._dialect.insert(run_requests)
            .values(caller=caller, key=key, **values)
            .on_conflict_do_update(
                index_elements=[run_requests.c.caller, run_requests.c.key],
                set_=values,
                where=or_(run_requests.c.expires_ms <= now, left),
            )
            .returning(run_requests.c.run_id)
        )
        if taken is not None:
            return RunClaim(run_id, body_hash, fresh=True)
        found = (await tx.execute(select(run_requests).where(_is(caller, key)))).one()
        return RunClaim(found.run_id, found.body_hash, fresh=False)

    async def find(self, tx: Transaction, caller: str, key: str) -> str | None:
        """The run of an earlier request that has not expired, or None."""
        wanted = (_is(caller, key), run_requests.c.expires_ms > self._dialect.now_ms())
        run_id: str | None = await tx.scalar(select(run_requests.c.run_id).where(*wanted))
        return run_id

    async def settle(self, tx: Transaction, run_id: str, session_id: str) -> None:
        """Say in which session the run of a claim is: the claim is deleted with it."""
        await tx.execute(update(run_requests).where(run_requests.c.run_id == run_id).values(session_id=session_id))

    async def forget(self, tx: Transaction, caller: str, key: str, run_id: str) -> None:
        """Take back a claim whose run was refused: the request may come again."""
        await tx.execute(delete(run_requests).where(_is(caller, key), run_requests.c.run_id == run_id))

    async def drop(self, tx: Transaction, caller: str, key: str) -> None:
        """Take back whatever claim there is: the request is a new one."""
        await tx.execute(delete(run_requests).where(_is(caller, key)))

    async def prune(self, tx: Transaction) -> int:
        """Delete the claims that have expired."""
        expired = run_requests.c.expires_ms <= self._dialect.now_ms()
        return (await tx.execute(delete(run_requests).where(expired))).rowcount


def _is(caller: str, key: str) -> ColumnElement[bool]:
    return and_(run_requests.c.caller == caller, run_requests.c.key == key)
