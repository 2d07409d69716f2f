"""How a decision about turns is written: the row, its timeline and the audit event it owes, for many turns at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, bindparam, func, insert, update

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import outbox, outbox_timeline
from beaver.outbox import states
from beaver.outbox.states import ENDS, Standing, State
from beaver.schemas.audit import AuditEvent
from beaver.sessions.records import HiddenEvent
from beaver.sessions.store import SessionStore


@dataclass(frozen=True)
class Passage:
    """One state reached from another (from none at the beginning), and what there is to say about it."""

    source: State | None
    target: State
    detail: Mapping[str, Any]

    @property
    def owed(self) -> AuditEvent | None:
        """The audit event that must say so, if any."""
        return states.audit_owed(self.source, self.target)


@dataclass(frozen=True)
class Moved:
    """What is decided about a turn: where it stands after its passages. What is held is held for `claim_ms`."""

    run_id: str
    session_id: str
    attempt: int
    actor: str
    after: Standing
    passages: Sequence[Passage]
    claim_ms: int = 0

    @property
    def owes_audit(self) -> bool:
        """Whether the session's trail gets an event from it."""
        return any(passage.owed is not None for passage in self.passages)


class MoveStore:
    """Writes what others have decided, inside their transaction: they have locked the rows, and the sessions owed."""

    def __init__(self, dialect: SqlDialect, sessions: SessionStore) -> None:
        self._sessions = sessions
        # Built once: every move consists of these. What is not named in them are columns' own names.
        now = dialect.now_ms()
        held_for = bindparam("held_for", type_=BigInteger)
        self._row = (
            update(outbox)
            .where(outbox.c.run_id == bindparam("moved"))
            .values(claim_expires_ms=now + held_for, due_ms=now + func.coalesce(held_for, 0), updated_ms=now)
        )
        self._entry = insert(outbox_timeline).values(at_ms=now)

    async def write(self, tx: Transaction, moves: Sequence[Moved]) -> None:
        """Three statements, however many moves."""
        if not moves:
            return
        await tx.execute(self._row, [_row(move) for move in moves])
        await self.tell(tx, moves)

    async def tell(self, tx: Transaction, moves: Iterable[Moved]) -> None:
        """The timeline and the audit events alone, for rows that are written otherwise."""
        passed = [(move, passage) for move in moves for passage in move.passages]
        await tx.execute(self._entry, [_entry(*each) for each in passed])
        events = [
            HiddenEvent(move.session_id, move.run_id, owed, passage.detail)
            for move, passage in passed
            if (owed := passage.owed) is not None
        ]
        await self._sessions.append_hidden(tx, events)


def _row(move: Moved) -> dict[str, Any]:
    after, detail = move.after, move.passages[-1].detail
    held = after.state not in ENDS and after.holder is not None
    held_for = move.claim_ms if held else 0 if after.expired else None
    return {
        "moved": move.run_id,
        "state": after.state,
        "holder": after.holder,
        "fence": after.fence,
        "error_category": detail.get("category"),
        "error_status": detail.get("http_status"),
        "held_for": held_for,
    }


def _entry(move: Moved, passage: Passage) -> dict[str, Any]:
    return {
        "run_id": move.run_id,
        "from_state": passage.source,
        "to_state": passage.target,
        "actor": move.actor,
        "attempt": move.attempt,
        "detail": dict(passage.detail),
    }
