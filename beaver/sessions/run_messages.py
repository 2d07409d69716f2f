"""What was said in one run, in SQL."""

from __future__ import annotations

from typing import Final

from sqlalchemy import select

from beaver.db.engine import Transaction
from beaver.db.tables import events
from beaver.sessions.records import StoredEvent
from beaver.sessions.storable import storable_text
from beaver.sessions.stretch import CAN_BE_SEEN, EVENT_COLUMNS

RUN_MESSAGES_MAX: Final = 1000


async def run_messages(tx: Transaction, run_id: str, *, limit: int = RUN_MESSAGES_MAX) -> list[StoredEvent]:
    """The first `limit` visible messages of a run, oldest first."""
    mine = select(*EVENT_COLUMNS).where(events.c.run_id == storable_text(run_id), *CAN_BE_SEEN)
    found = await tx.execute(mine.order_by(events.c.id).limit(limit))
    return [StoredEvent(*row) for row in found]
