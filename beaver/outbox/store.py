"""The ledger's SQL: turns that enter, rings that are due, and orphans that the sweeper judges.

Every method runs inside the caller's transaction. What a row may do is decided in `states.py`; here the row is
locked, the decision asked for, and its result written. All times come from the database's clock.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import BigInteger, Row, bindparam, func, insert, select, update

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import outbox
from beaver.outbox import audit, states
from beaver.outbox.conditions import blocked, ringable, run_out, unfinished, waits
from beaver.outbox.move_store import Moved, MoveStore, Passage
from beaver.outbox.states import Standing, State
from beaver.outbox.turns import DueRow, NewTurn
from beaver.schemas.jobs import PersistJob
from beaver.sessions.store import SessionStore

INSERTED_BY: Final = "chat"
RING_DELAY_MS: Final = 2_000
RING_DELAY_MS_MAX: Final = 300_000


class OutboxStore:
    """The ledger. `sessions` takes the audit events, in the same transaction as the move that owes them."""

    def __init__(self, dialect: SqlDialect, sessions: SessionStore) -> None:
        self._dialect = dialect
        self._sessions = sessions
        self._moves = MoveStore(dialect, sessions)
        # Built once: every turn and every ring consists of these. What is not named in them are columns' own names.
        now = self._now = dialect.now_ms()
        fresh = {"generation": 0, "attempt": 1, "fence": 0, "created_ms": now, "updated_ms": now}
        self._entered = insert(outbox).values(**fresh, due_ms=now + RING_DELAY_MS)
        rung = select(outbox.c.run_id, outbox.c.generation, outbox.c.traceparent).order_by(outbox.c.run_id)
        first = rung.where(outbox.c.state == State.PENDING, ~blocked())
        of_sessions = first.where(unfinished(), dialect.is_one_of(outbox.c.session_id, "ids"))
        self._first_of_sessions = of_sessions.add_columns(outbox.c.session_id)
        self._waiting = rung.where(waits(now), dialect.is_one_of(outbox.c.run_id, "ids"))
        held = rung.where(ringable(), dialect.is_one_of(outbox.c.run_id, "ids"))
        self._ringable = held.with_for_update(of=outbox, key_share=True, skip_locked=True)
        later = now + bindparam("delay_ms", type_=BigInteger)
        mine = update(outbox).where(outbox.c.run_id == bindparam("rung"), ringable())
        self._rung = mine.values(due_ms=later)
        self._postponed = mine.where(outbox.c.generation == bindparam("seen")).values(due_ms=later)
        orphan = select(outbox, run_out(now).label("expired")).where(outbox.c.run_id == bindparam("wanted"))
        self._orphan = orphan.with_for_update(of=outbox)

    async def insert(self, tx: Transaction, turn: NewTurn, *, skip_reason: str | None = None) -> None:
        """Enter a turn as pending, or, with a reason, as skipped. Belongs in the transaction of the answer itself."""
        state = State.PENDING if skip_reason is None else State.SKIPPED
        detail = {} if skip_reason is None else audit.add_skipped(skip_reason)
        await tx.execute(self._entered, {**vars(turn), "position": turn.answer_event_id, "state": state})
        standing = Standing(state, None, 0, expired=False)
        entered = Moved(turn.run_id, turn.session_id, 1, INSERTED_BY, standing, (Passage(None, state, detail),))
        await self._moves.tell(tx, [entered])

    async def due(self, tx: Transaction, *, limit: int) -> list[DueRow]:
        """Rows that wait for a ring longer than they should, the longest first; not those behind an earlier turn."""
        found = await tx.execute(
            select(outbox.c.run_id, outbox.c.generation, outbox.c.traceparent)
            .where(unfinished(), outbox.c.due_ms <= self._now, waits(self._now), ~blocked())
            .order_by(outbox.c.due_ms)
            .limit(limit)
        )
        return [DueRow(*row) for row in found]

    async def count_ready(self, tx: Transaction) -> int:
        """How many turns a worker could take up now: they wait, and for nothing but a worker."""
        ready = select(func.count()).select_from(outbox).where(unfinished(), waits(self._now), ~blocked())
        return int(await tx.scalar(ready) or 0)

    async def ring(self, tx: Transaction, rows: Sequence[DueRow]) -> list[PersistJob]:
        """Note one more ring for each and when the next is due (twice as late each time); the jobs to enqueue after the commit.

        Left out is what another process has rung for, or has in its hands, or what moved on since it was read.
        """
        if not rows:
            return []
        wanted = {row.run_id: row for row in rows}
        found = await tx.execute(self._ringable, {"ids": self._dialect.many(wanted)})
        rung = [
            DueRow(row.run_id, row.generation + 1, row.traceparent)
            for row in found
            if wanted[row.run_id].generation == row.generation
        ]
        await self._put_off(tx, self._rung, [{**_delay(row), "generation": row.generation} for row in rung])
        return [row.last_ring for row in rung]

    async def ring_now(self, tx: Transaction, run_id: str) -> PersistJob | None:
        """The same for one turn that waits, due or not."""
        found = await tx.execute(self._waiting, {"ids": self._dialect.many([run_id])})
        rung = await self.ring(tx, [DueRow(*row) for row in found])
        return rung[0] if rung else None

    async def ring_next(self, tx: Transaction, session_ids: Collection[str]) -> dict[str, PersistJob]:
        """The same for each session's earliest unfinished turn, if it is pending, by session; finishers of turns ask for it."""
        if not session_ids:
            return {}
        found = (await tx.execute(self._first_of_sessions, {"ids": self._dialect.many(session_ids)})).all()
        sessions = {row.run_id: row.session_id for row in found}
        rung = await self.ring(tx, [DueRow(row.run_id, row.generation, row.traceparent) for row in found])
        return {sessions[job.run_id]: job for job in rung}

    async def postpone(self, tx: Transaction, rows: Sequence[DueRow]) -> None:
        """Leave rows whose last ring still stands in the queue for as long again."""
        await self._put_off(tx, self._postponed, [{**_delay(row), "seen": row.generation} for row in rows])

    async def orphans(self, tx: Transaction, *, limit: int) -> list[str]:
        """Run ids of rows whose claim has run out and that the sweeper must judge."""
        judged = (State.CLAIMED, State.ADDING, State.FLUSHING)
        found = await tx.execute(
            select(outbox.c.run_id)
            .where(unfinished(), outbox.c.state.in_(judged), run_out(self._now))
            .order_by(outbox.c.claim_expires_ms)
            .limit(limit)
        )
        return list(found.scalars())

    async def resolve_orphan(self, tx: Transaction, run_id: str, actor: str) -> tuple[State, PersistJob | None] | None:
        """Judge one orphan: the state it was put in, and the ring that follows from it. None where it is none any more."""
        row = (await tx.execute(self._orphan, {"wanted": run_id})).one_or_none()
        after = None if row is None else states.resolve_orphan(_standing(row))
        if row is None or after is None:
            return None
        judged = Passage(State(row.state), after.state, _orphan_detail(after.state))
        moved = Moved(row.run_id, row.session_id, row.attempt, actor, after, (judged,))
        if moved.owes_audit:
            await self._sessions.hold(tx, {row.session_id}, waiting=True)
        await self._moves.write(tx, [moved])
        return after.state, (await self.ring_next(tx, {row.session_id})).get(row.session_id)

    @staticmethod
    async def _put_off(tx: Transaction, statement: Any, rows: list[dict[str, Any]]) -> None:
        if rows:
            await tx.execute(statement, rows)


def ring_delay_ms(generation: int) -> int:
    """How long after the ring number `generation` the next one is due: 2 s, doubling, at most 5 minutes."""
    return min(RING_DELAY_MS << min(generation, 20), RING_DELAY_MS_MAX)


def _delay(row: DueRow) -> dict[str, Any]:
    return {"rung": row.run_id, "delay_ms": ring_delay_ms(row.generation)}


def _orphan_detail(state: State) -> audit.Payload:
    match state:
        case State.ADD_UNKNOWN:
            return audit.add_failed(audit.WORKER_LOST, "unknown")
        case State.FLUSH_UNKNOWN:
            return audit.flush_failed(audit.WORKER_LOST, "unknown")
        case _:
            return {"reason": audit.WORKER_LOST}


def _standing(row: Row[Any]) -> Standing:
    return Standing(State(row.state), row.holder, row.fence, bool(row.expired))
