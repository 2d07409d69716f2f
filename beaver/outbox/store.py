"""The ledger's SQL: rows of turns, claims the database arbitrates, moves with their timeline and audit event.

Every method runs inside the caller's transaction. What a row may do is decided in `states.py`; here the row is
locked, the decision asked for, and its result written. All times come from the database's clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Row,
    Select,
    and_,
    bindparam,
    exists,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.sql.elements import TextClause

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import UNFINISHED, outbox, outbox_timeline
from beaver.outbox import audit, states
from beaver.outbox.states import ENDS, Standing, State
from beaver.schemas.jobs import PersistJob
from beaver.sessions.records import NewEvent
from beaver.sessions.store import SessionStore

INSERTED_BY: Final = "chat"
RING_DELAY_MS: Final = 2_000
RING_DELAY_MS_MAX: Final = 300_000


@dataclass(frozen=True)
class NewTurn:
    """A completed turn on its way to the Gateway: where its two texts lie, and for whom it is meant."""

    run_id: str
    session_id: str
    user_event_id: int
    answer_event_id: int
    user_at_ms: int
    answer_at_ms: int
    gateway_user_id: str
    app_id: str
    project_id: str
    traceparent: str | None = None


@dataclass(frozen=True)
class Claim:
    """A turn in a worker's hands. (holder, fence) names the claim; `state` says where it was taken up.

    Every move renews the claim for another `claim_ms`.
    """

    turn: NewTurn
    state: State
    holder: str
    fence: int
    attempt: int
    claim_ms: int


@dataclass(frozen=True)
class DueRow:
    """A row that waits, and that the queue was last rung for with `generation`."""

    run_id: str
    generation: int
    traceparent: str | None

    @property
    def last_ring(self) -> PersistJob:
        """The job of the last ring."""
        return PersistJob(run_id=self.run_id, generation=self.generation, traceparent=self.traceparent)


class OutboxStore:
    """The ledger. `sessions` takes the audit events, in the same transaction as the move that owes them."""

    def __init__(self, dialect: SqlDialect, sessions: SessionStore) -> None:
        self._dialect = dialect
        self._sessions = sessions
        # Built once: every claim and every move consists of these. What is not named in them are columns' own names.
        now = dialect.now_ms()
        mine = update(outbox).where(outbox.c.run_id == bindparam("wanted"))
        expires = now + bindparam("claim_for", type_=BigInteger)
        self._hold = mine.values(claim_expires_ms=expires, due_ms=expires, updated_ms=now)
        self._let_go = mine.values(claim_expires_ms=None, due_ms=now, updated_ms=now)
        self._entry = insert(outbox_timeline).values(at_ms=now)
        self._first_of_session = _first_unfinished(outbox.c.session_id)
        self._first_of_run = _first_unfinished(outbox.c.run_id)
        self._row = (
            select(outbox, self._run_out().label("expired"), _blocked().label("blocked"))
            .where(outbox.c.run_id == bindparam("wanted"))
            .with_for_update(of=outbox)
        )

    async def insert(self, tx: Transaction, turn: NewTurn, *, skip_reason: str | None = None) -> None:
        """Enter a turn as pending, or, with a reason, as skipped. Belongs in the transaction of the answer itself."""
        state = State.PENDING if skip_reason is None else State.SKIPPED
        detail = {} if skip_reason is None else audit.add_skipped(skip_reason)
        now = self._dialect.now_ms()
        await tx.execute(
            insert(outbox).values(
                **vars(turn),
                position=turn.answer_event_id,
                state=state,
                generation=0,
                attempt=1,
                fence=0,
                due_ms=now + RING_DELAY_MS,
                created_ms=now,
                updated_ms=now,
            )
        )
        await self._tell(tx, turn.run_id, turn.session_id, None, state, INSERTED_BY, 1, detail)

    async def claim(self, tx: Transaction, run_id: str, holder: str, *, claim_ms: int) -> Claim | None:
        """Take a turn: a pending one, or an added one whose holder is gone, for its flush.

        None where there is nothing to take: no such row, in other hands, at an end, or behind an earlier
        unfinished turn of its session. Of several that claim at once, exactly one gets it.
        """
        row = await self._locked(tx, run_id)
        if row is None or row.blocked:
            return None
        taken = states.claim(_standing(row), holder)
        if taken is None:
            return None
        await self._write(tx, row, taken, actor=holder, detail={}, claim_ms=claim_ms)
        return Claim(_turn(row), taken.state, holder, taken.fence, row.attempt, claim_ms)

    async def move(
        self, tx: Transaction, claim: Claim, target: State, *, detail: Mapping[str, Any] | None = None
    ) -> bool:
        """Move a claimed turn, with its timeline row and the audit event it owes; `detail` is the payload of both.

        False, with nothing written, where the claim is lost. To repeat a move whose commit was not acknowledged is safe.
        """
        row = await self._locked(tx, claim.turn.run_id)
        if row is None:
            return False
        before = _standing(row)
        after = states.move(before, claim.holder, claim.fence, target)
        if after is None:
            return False
        if after != before:
            await self._write(tx, row, after, actor=claim.holder, detail=detail or {}, claim_ms=claim.claim_ms)
        return True

    async def hand_back(self, tx: Transaction, claim: Claim) -> bool:
        """Return a turn of which nothing was sent; it is due at once. False where the claim is lost."""
        return await self.move(tx, claim, State.PENDING)

    async def due(self, tx: Transaction, *, limit: int) -> list[DueRow]:
        """Rows that wait for a ring longer than they should, the longest first; not those behind an earlier turn."""
        found = await tx.execute(
            select(outbox.c.run_id, outbox.c.generation, outbox.c.traceparent)
            .where(_unfinished(), outbox.c.due_ms <= self._dialect.now_ms(), self._waits(), ~_blocked())
            .order_by(outbox.c.due_ms)
            .limit(limit)
        )
        return [DueRow(*row) for row in found]

    async def count_ready(self, tx: Transaction) -> int:
        """How many turns a worker could take up now: they wait, and for nothing but a worker."""
        ready = select(func.count()).select_from(outbox).where(_unfinished(), self._waits(), ~_blocked())
        return int(await tx.scalar(ready) or 0)

    async def ring(self, tx: Transaction, row: DueRow) -> PersistJob | None:
        """Note one more ring and when the next is due (twice as late each time), and give the job to enqueue after the commit.

        None where another process has rung, or the row moved on, since it was read.
        """
        found = await tx.execute(
            update(outbox)
            .where(outbox.c.run_id == row.run_id, outbox.c.generation == row.generation)
            .where(outbox.c.state.in_((State.PENDING, State.ADDED)))
            .values(generation=row.generation + 1, due_ms=self._dialect.now_ms() + ring_delay_ms(row.generation + 1))
            .returning(outbox.c.generation)
        )
        generation = found.scalar_one_or_none()
        return None if generation is None else DueRow(row.run_id, generation, row.traceparent).last_ring

    async def ring_now(self, tx: Transaction, run_id: str) -> PersistJob | None:
        """The same for one turn, due or not."""
        return await self._ring_first(tx, self._first_of_run, run_id)

    async def ring_next(self, tx: Transaction, session_id: str) -> PersistJob | None:
        """The same for the session's earliest unfinished turn, if it waits; the finisher of a turn asks for it."""
        return await self._ring_first(tx, self._first_of_session, session_id)

    async def postpone(self, tx: Transaction, rows: Sequence[DueRow]) -> None:
        """Leave rows whose last ring still stands in the queue for as long again."""
        for row in rows:
            await tx.execute(
                update(outbox)
                .where(outbox.c.run_id == row.run_id, outbox.c.generation == row.generation)
                .where(outbox.c.state.in_((State.PENDING, State.ADDED)))
                .values(due_ms=self._dialect.now_ms() + ring_delay_ms(row.generation))
            )

    async def orphans(self, tx: Transaction, *, limit: int) -> list[str]:
        """Run ids of rows whose claim has run out and that the sweeper must judge."""
        judged = (State.CLAIMED, State.ADDING, State.FLUSHING)
        found = await tx.execute(
            select(outbox.c.run_id)
            .where(_unfinished(), outbox.c.state.in_(judged), self._run_out())
            .order_by(outbox.c.claim_expires_ms)
            .limit(limit)
        )
        return list(found.scalars())

    async def resolve_orphan(self, tx: Transaction, run_id: str, actor: str) -> tuple[State, PersistJob | None] | None:
        """Judge one orphan: the state it was put in, and the ring that follows from it. None where it is none any more."""
        row = await self._locked(tx, run_id)
        after = None if row is None else states.resolve_orphan(_standing(row))
        if row is None or after is None:
            return None
        await self._write(tx, row, after, actor=actor, detail=_orphan_detail(after.state), claim_ms=0)
        return after.state, await self.ring_next(tx, row.session_id)

    async def _locked(self, tx: Transaction, run_id: str) -> Row[Any] | None:
        return (await tx.execute(self._row, {"wanted": run_id})).one_or_none()

    async def _write(
        self,
        tx: Transaction,
        row: Row[Any],
        after: Standing,
        *,
        actor: str,
        detail: Mapping[str, Any],
        claim_ms: int,
    ) -> None:
        held = after.state not in ENDS and after.holder is not None
        values = {
            "wanted": row.run_id,
            "state": after.state,
            "holder": after.holder,
            "fence": after.fence,
            "error_category": detail.get("category"),
            "error_status": detail.get("http_status"),
        }
        await tx.execute(*((self._hold, {**values, "claim_for": claim_ms}) if held else (self._let_go, values)))
        source = State(row.state)
        await self._tell(tx, row.run_id, row.session_id, source, after.state, actor, row.attempt, detail)

    async def _tell(
        self,
        tx: Transaction,
        run_id: str,
        session_id: str,
        source: State | None,
        target: State,
        actor: str,
        attempt: int,
        detail: Mapping[str, Any],
    ) -> None:
        """The timeline row and, where the state owes one and is new, the audit event."""
        entry = {
            "run_id": run_id,
            "from_state": source,
            "to_state": target,
            "actor": actor,
            "attempt": attempt,
            "detail": dict(detail),
        }
        await tx.execute(self._entry, entry)
        owed = states.audit_owed(target)
        if owed is not None and source is not target:
            event = NewEvent(kind=owed, payload=dict(detail), context_visible=False)
            await self._sessions.append(tx, session_id, run_id, event)

    async def _ring_first(self, tx: Transaction, first: Select[Any], which: str) -> PersistJob | None:
        found = await tx.execute(first, {"which": which})
        row = found.one_or_none()
        if row is None or row.state != State.PENDING:
            return None
        return await self.ring(tx, DueRow(row.run_id, row.generation, row.traceparent))

    def _waits(self) -> ColumnElement[bool]:
        return (outbox.c.state == State.PENDING) | ((outbox.c.state == State.ADDED) & self._run_out())

    def _run_out(self) -> ColumnElement[bool]:
        return func.coalesce(outbox.c.claim_expires_ms <= self._dialect.now_ms(), False)


def ring_delay_ms(generation: int) -> int:
    """How long after the ring number `generation` the next one is due: 2 s, doubling, at most 5 minutes."""
    return min(RING_DELAY_MS << min(generation, 20), RING_DELAY_MS_MAX)


def _unfinished() -> TextClause:
    """Literally the predicate of the partial indexes, so that both databases recognise it."""
    return text(f"outbox.{UNFINISHED}")


def _first_unfinished(column: ColumnElement[str]) -> Select[Any]:
    """The earliest turn on its way of those whose `column` is the parameter `which`."""
    return (
        select(outbox.c.run_id, outbox.c.generation, outbox.c.traceparent, outbox.c.state, outbox.c.holder)
        .where(_unfinished(), column == bindparam("which"))
        .order_by(outbox.c.position)
        .limit(1)
    )


def _blocked() -> ColumnElement[bool]:
    """An earlier turn of the same session is on its way."""
    earlier = outbox.alias("earlier")
    return exists(
        select(1).where(
            and_(
                earlier.c.session_id == outbox.c.session_id,
                earlier.c.position < outbox.c.position,
                text(f"earlier.{UNFINISHED}"),
            )
        )
    )


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


def _turn(row: Row[Any]) -> NewTurn:
    return NewTurn(**{name: getattr(row, name) for name in NewTurn.__dataclass_fields__})
