"""What hidden events tell of recall, in SQL: of a session's last answer, and of all of them for figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import select

from beaver.db.engine import Transaction
from beaver.db.tables import events
from beaver.ids import validate_session_id
from beaver.schemas.audit import AuditEvent

RECALL_KINDS: Final = (
    AuditEvent.RECALL_DECIDED.value,
    AuditEvent.RECALL_SUCCEEDED.value,
    AuditEvent.RECALL_FAILED.value,
    AuditEvent.RECALL_SKIPPED.value,
)
FIGURES_MAX: Final = 20_000
"""The newest decisions that figures are made of."""


@dataclass(frozen=True)
class RecallEvent:
    """One hidden event about recall. `at_ms` is UTC epoch ms by the database's clock."""

    run_id: str | None
    kind: str
    payload: Mapping[str, Any]
    at_ms: int


async def last_recall(tx: Transaction, session_id: str) -> Sequence[RecallEvent]:
    """The events about recall of the session's newest run that has any, in order."""
    told = select(events.c.run_id, events.c.kind, events.c.payload, events.c.created_ms).where(
        events.c.session_id == validate_session_id(session_id), events.c.kind.in_(RECALL_KINDS)
    )
    newest = (await tx.execute(told.order_by(events.c.id.desc()).limit(1))).one_or_none()
    if newest is None:
        return ()
    return [
        RecallEvent(*row)
        for row in await tx.execute(told.where(events.c.run_id == newest.run_id).order_by(events.c.id))
    ]


async def recall_decisions(tx: Transaction, *, since_ms: int) -> Sequence[Mapping[str, Any]]:
    """What was decided in all sessions since a time (UTC epoch ms), the newest first, at most 20,000."""
    decided = select(events.c.payload).where(
        events.c.kind == AuditEvent.RECALL_DECIDED.value, events.c.created_ms >= since_ms
    )
    found = await tx.scalars(decided.order_by(events.c.id.desc()).limit(FIGURES_MAX))
    return list(found)
