"""What was said in one run, in SQL."""

from __future__ import annotations

from typing import Final

from beaver.db.engine import Transaction
from beaver.db.tables import events
from beaver.sessions.records import MESSAGE, StoredEvent
from beaver.sessions.storable import storable_text
from beaver.sessions.store import select_events

RUN_MESSAGES_MAX: Final = 1000


async def run_messages(tx: Transaction, run_id: str, *, limit: int = RUN_MESSAGES_MAX) -> list[StoredEvent]:
    """The first `limit` visible messages of a run, oldest first."""
    mine = (events.c.run_id == storable_text(run_id), events.c.context_visible, events.c.kind == MESSAGE)
    return await select_events(tx, *mine, limit=limit)
