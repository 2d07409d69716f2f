"""SQL of what a user took back in a namespace: few rows, found by an index of their own."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, select, text

from beaver.db.engine import Transaction
from beaver.memory.retrieval.beside.taken_back import TakenBack
from beaver.memory.tables import observations

TAKEN_BACK_MAX: Final = 1_000
"""Of a namespace's the last so many are heeded by a search."""
REQUEST_SOURCE: Final = "forget_request"
"""The source of the row that stands for a request itself: its facts are the words that are not to be told any more."""

# Made once: to build a statement costs as much as to run it. The reason stands in it as the index has it.
_TAKEN_BACK: Final = (
    select(
        observations.c.title,
        observations.c.facts,
        observations.c.evidence,
        observations.c.ended_ms,
        observations.c.source,
    )
    .where(observations.c.namespace_id == bindparam("namespace"), text("end_reason = 'deleted'"))
    .order_by(observations.c.ended_ms.desc())
    .limit(TAKEN_BACK_MAX)
)


async def read_taken_back(tx: Transaction, namespace_id: int) -> tuple[TakenBack, ...]:
    """What was taken back, the last first."""
    return tuple(
        TakenBack(
            tuple(row.facts) if row.source == REQUEST_SOURCE else (row.title, *row.facts),
            row.ended_ms,
            frozenset(one["message_id"] for one in row.evidence),
        )
        for row in await tx.execute(_TAKEN_BACK, {"namespace": namespace_id})
    )
