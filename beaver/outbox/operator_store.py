"""The SQL of what operators do about turns: a row under its lock, moved with its timeline and audit event, or purged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, delete, exists, func, insert, select, update

from beaver.config.memory import MemoryOwner
from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import outbox, outbox_timeline
from beaver.outbox import audit
from beaver.outbox.states import UNFINISHED, Standing, State
from beaver.outbox.store import RING_DELAY_MS
from beaver.outbox.turns import DueRow
from beaver.schemas.audit import AuditEvent
from beaver.schemas.jobs import PersistJob
from beaver.sessions.records import NewEvent
from beaver.sessions.store import SessionStore

PURGEABLE: Final = (State.FLUSHED, State.SKIPPED)
# Its words reached the Gateway, whatever became of the flush.
_DELIVERED: Final = (State.ADDED, State.FLUSHING, State.FLUSHED, State.FLUSH_FAILED, State.FLUSH_UNKNOWN)
_FAILED: Final = (State.ADD_REFUSED, State.FLUSH_FAILED)


@dataclass(frozen=True)
class Deed:
    """What an operator does: the action's name, who (`operator:…`), and why. Free of secrets; bounded by the service."""

    action: str
    actor: str
    reason: str | None


@dataclass(frozen=True)
class HeldTurn:
    """A turn under this transaction's lock. `later_delivered`: a later turn of its session has reached the Gateway."""

    run_id: str
    session_id: str
    standing: Standing
    attempt: int
    generation: int
    traceparent: str | None
    user_event_id: int
    answer_event_id: int
    error_category: str | None
    error_status: int | None
    later_delivered: bool
    gateway_user_id: str
    app_id: str
    project_id: str

    @property
    def owner(self) -> MemoryOwner:
        """For whose memory it is."""
        return MemoryOwner(self.gateway_user_id, self.app_id, self.project_id)


class OperatorStore:
    """What operators write. Every method runs inside the caller's transaction; times come from the database's clock."""

    def __init__(self, dialect: SqlDialect, sessions: SessionStore) -> None:
        self._dialect = dialect
        self._sessions = sessions

    async def lock(self, tx: Transaction, run_id: str) -> HeldTurn | None:
        """The turn, locked until this transaction ends; None where it is not in the ledger."""
        run_out = func.coalesce(outbox.c.claim_expires_ms <= self._dialect.now_ms(), False)
        query = select(outbox, run_out.label("expired"), _later_delivered().label("later_delivered"))
        found = await tx.execute(query.where(outbox.c.run_id == run_id).with_for_update(of=outbox))
        row = found.one_or_none()
        return None if row is None else _held(row)

    async def move(
        self, tx: Transaction, turn: HeldTurn, after: Standing, deed: Deed, *, attempt: int
    ) -> PersistJob | None:
        """Write the decision with its timeline row and audit event; the job to enqueue after the commit, if it goes on.

        A turn that goes on is rung for under a fresh generation, and is due for the relay soon, should that ring be lost.
        """
        goes_on = after.state in UNFINISHED
        generation = turn.generation + 1 if goes_on else turn.generation
        now = self._dialect.now_ms()
        stays_failed = after.state in _FAILED
        await tx.execute(
            update(outbox)
            .where(outbox.c.run_id == turn.run_id)
            .values(
                state=after.state,
                holder=after.holder,
                fence=after.fence,
                claim_expires_ms=now if after.expired else None,
                generation=generation,
                attempt=attempt,
                due_ms=now + RING_DELAY_MS if goes_on else now,
                error_category=turn.error_category if stays_failed else None,
                error_status=turn.error_status if stays_failed else None,
                updated_ms=now,
            )
        )
        await self._tell(tx, turn, after.state, deed, attempt)
        await self.note(tx, turn, after.state, deed, attempt=attempt)
        return DueRow(turn.run_id, generation, turn.traceparent).last_ring if goes_on else None

    async def note(self, tx: Transaction, turn: HeldTurn, target: State, deed: Deed, *, attempt: int) -> None:
        """The audit event alone, hidden in the turn's session."""
        payload = audit.operator_acted(
            deed.action, deed.actor, turn.standing.state, target, attempt=attempt, reason=deed.reason
        )
        event = NewEvent(AuditEvent.OPERATOR_ACTED, payload=payload, context_visible=False)
        await self._sessions.append(tx, turn.session_id, turn.run_id, event)

    async def texts(self, tx: Transaction, turn: HeldTurn) -> tuple[str | None, str | None]:
        """The prompt and the answer, each as stored; None for one that is gone."""
        found = await self._sessions.event_texts(tx, [turn.user_event_id, turn.answer_event_id])
        return found.get(turn.user_event_id), found.get(turn.answer_event_id)

    async def purge(self, tx: Transaction, actor: str, *, older_than_ms: int, limit: int) -> int:
        """Delete up to `limit` flushed and skipped turns that ended at least so long ago; returns how many it found.

        Their timelines go with them; each session concerned keeps one audit event. Rows that another purge has in its
        hands are left to it.
        """
        # A deletion may not carry a limit on both databases, and the lock must come before it.
        chosen = await tx.execute(
            self._purgeable(select(outbox.c.run_id, outbox.c.session_id), older_than_ms)
            .order_by(outbox.c.updated_ms)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        rows = chosen.all()
        await tx.execute(delete(outbox).where(outbox.c.run_id.in_([row.run_id for row in rows])))
        # In one order everywhere, since each event locks its session.
        for session_id, turns in sorted(Counter(row.session_id for row in rows).items()):
            payload = audit.operator_purged(actor, turns=turns)
            event = NewEvent(AuditEvent.OPERATOR_ACTED, payload=payload, context_visible=False)
            await self._sessions.append(tx, session_id, None, event)
        return len(rows)

    async def count_purgeable(self, tx: Transaction, *, older_than_ms: int) -> int:
        """How many turns a purge would delete now."""
        counted = await tx.execute(self._purgeable(select(func.count()).select_from(outbox), older_than_ms))
        return int(counted.scalar_one())

    def _purgeable(self, query: Select[Any], older_than_ms: int) -> Select[Any]:
        ended_before = self._dialect.begun_ms() - older_than_ms
        return query.where(outbox.c.state.in_(PURGEABLE), outbox.c.updated_ms <= ended_before)

    async def _tell(self, tx: Transaction, turn: HeldTurn, target: State, deed: Deed, attempt: int) -> None:
        detail = {"action": deed.action, **({} if deed.reason is None else {"reason": deed.reason})}
        await tx.execute(
            insert(outbox_timeline).values(
                run_id=turn.run_id,
                at_ms=self._dialect.now_ms(),
                from_state=turn.standing.state,
                to_state=target,
                actor=deed.actor,
                attempt=attempt,
                detail=detail,
            )
        )


def _later_delivered() -> ColumnElement[bool]:
    later = outbox.alias("later")
    return exists(
        select(1).where(
            later.c.session_id == outbox.c.session_id,
            later.c.position > outbox.c.position,
            later.c.state.in_(_DELIVERED),
        )
    )


def _held(row: Row[Any]) -> HeldTurn:
    values = row._mapping
    copied = {name: values[name] for name in HeldTurn.__dataclass_fields__ if name != "standing"}
    standing = Standing(State(row.state), row.holder, row.fence, bool(row.expired))
    return HeldTurn(**{**copied, "standing": standing, "later_delivered": bool(row.later_delivered)})
