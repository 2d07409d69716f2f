"""Requests that asked for a run, in SQL: one that comes again, at whichever server, is told the same run."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, delete, literal_column, not_, or_, select, update

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import run_requests, runs


@dataclass(frozen=True)
class RunClaim:
    """Which run belongs to a request. Until it is `recorded` somebody is about to start it, and no other server knows it."""

    run_id: str
    body_hash: str
    recorded: bool


class RunRequestStore:
    """Claims of requests. Stateless; every method takes the open transaction first."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect

    async def claim(
        self, tx: Transaction, caller: str, key: str, body_hash: str, run_id: str, *, keep_ms: int, start_ms: int
    ) -> bool:
        """Make `run_id` the run of a request that is new, or was claimed and then not begun; False where it has one.

        A claim is kept for `keep_ms`. One whose run nobody has recorded for `start_ms` was left by a crash. Whoever has
        it must start the run.
        """
        now = self._dialect.now_ms()
        values = {
            "body_hash": body_hash,
            "run_id": run_id,
            "session_id": "",
            "created_ms": now,
            "expires_ms": now + keep_ms,
        }
        taken = await tx.scalar(
            self._dialect.insert(run_requests)
            .values(caller=caller, key=key, **values)
            .on_conflict_do_update(
                index_elements=[run_requests.c.caller, run_requests.c.key],
                set_=values,
                where=or_(run_requests.c.expires_ms <= now, self._left(start_ms)),
            )
            .returning(run_requests.c.run_id)
        )
        return taken is not None

    async def find(self, tx: Transaction, caller: str, key: str, *, start_ms: int) -> RunClaim | None:
        """The claim of an earlier request; None where `claim` would take the request."""
        columns = (run_requests.c.run_id, run_requests.c.body_hash, _recorded().label("recorded"))
        stands = and_(run_requests.c.expires_ms > self._dialect.now_ms(), not_(self._left(start_ms)))
        row = (await tx.execute(select(*columns).where(_is(caller, key), stands))).one_or_none()
        return None if row is None else RunClaim(row.run_id, row.body_hash, bool(row.recorded))

    async def settle(self, tx: Transaction, caller: str, key: str, run_id: str, session_id: str) -> bool:
        """Say in which session the run of a claim is: the claim is deleted with it. False when the claim was taken over."""
        mine = update(run_requests).where(_is(caller, key), run_requests.c.run_id == run_id)
        return (await tx.execute(mine.values(session_id=session_id))).rowcount == 1

    async def forget(self, tx: Transaction, caller: str, key: str, run_id: str) -> None:
        """Take back a claim whose run was refused: the request may come again."""
        await tx.execute(delete(run_requests).where(_is(caller, key), run_requests.c.run_id == run_id))

    async def drop(self, tx: Transaction, caller: str, key: str, *, unless: str | None = None) -> None:
        """Take back whatever claim there is: the request is a new one. Not where another key, `unless`, is claimed."""
        claimed = select(run_requests.c.run_id).where(_is(caller, key))
        if unless is not None:
            other = run_requests.alias()
            stands = and_(other.c.caller == caller, other.c.key == unless, other.c.expires_ms > self._dialect.now_ms())
            claimed = claimed.where(~select(other.c.key).where(stands).exists())
        # Both are looked at in one statement, and only what was seen goes: a claim may be made meanwhile.
        run_id = await tx.scalar(claimed)
        if run_id is not None:
            await self.forget(tx, caller, key, run_id)

    async def take(self, tx: Transaction, caller: str, key: str) -> bool:
        """Take back a claim that has not expired; True for one only of those that try."""
        stands = run_requests.c.expires_ms > self._dialect.now_ms()
        return (await tx.execute(delete(run_requests).where(_is(caller, key), stands))).rowcount == 1

    async def prune(self, tx: Transaction) -> int:
        """Delete the claims that have expired."""
        expired = run_requests.c.expires_ms <= self._dialect.begun_ms()
        return (await tx.execute(delete(run_requests).where(expired))).rowcount

    def _left(self, start_ms: int) -> ColumnElement[bool]:
        late = run_requests.c.created_ms <= self._dialect.now_ms() - start_ms
        return and_(run_requests.c.session_id == "", late, ~_recorded())


def _recorded() -> ColumnElement[bool]:
    # As text: in ON CONFLICT, SQLAlchemy would list the table anew inside, and ask whether any request's run is recorded.
    mine: ColumnElement[str] = literal_column("run_requests.run_id", runs.c.id.type)
    return select(runs.c.id).where(runs.c.id == mine).exists()


def _is(caller: str, key: str) -> ColumnElement[bool]:
    return and_(run_requests.c.caller == caller, run_requests.c.key == key)
