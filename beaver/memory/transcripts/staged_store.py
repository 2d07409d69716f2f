"""SQL of staged turns: those that no flush has captured yet."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from sqlalchemy import func, select, update

from beaver.db.engine import Transaction
from beaver.memory.tables import messages, turns
from beaver.memory.transcripts.said import SaidMessage, StagedTurn

_SAID: Final = (
    messages.c.turn_id,
    messages.c.id.label("message_id"),
    messages.c.role,
    messages.c.speaker,
    messages.c.content,
    messages.c.observed_ms,
)


async def last_staged_sequence(tx: Transaction, namespace_id: int, conversation_id: int) -> int | None:
    """The sequence of the newest turn that waits, or None when none does."""
    newest = select(func.max(turns.c.sequence)).where(
        turns.c.namespace_id == namespace_id,
        turns.c.conversation_id == conversation_id,
        turns.c.flushed_ms.is_(None),
    )
    found: int | None = await tx.scalar(newest)
    return found


async def staged_turns(
    tx: Transaction, namespace_id: int, conversation_id: int, *, sequence_max: int, limit: int
) -> list[StagedTurn]:
    """The oldest turns that wait, up to one sequence, in order; a turn whose messages were removed has none."""
    waiting = (
        select(turns.c.id, turns.c.sequence)
        .where(
            turns.c.namespace_id == namespace_id,
            turns.c.conversation_id == conversation_id,
            turns.c.flushed_ms.is_(None),
            turns.c.sequence <= sequence_max,
        )
        .order_by(turns.c.sequence)
        .limit(limit)
        .subquery()
    )
    said = (
        select(waiting.c.id.label("staged"), *_SAID)
        .outerjoin(messages, messages.c.turn_id == waiting.c.id)
        .order_by(waiting.c.sequence, messages.c.position)
    )
    rows = (await tx.execute(said)).mappings()
    return [
        StagedTurn(turn_id, tuple(_said(row) for row in of_turn if row["message_id"] is not None))
        for turn_id, of_turn in groupby(rows, key=lambda row: row["staged"])
    ]


async def mark_flushed(tx: Transaction, namespace_id: int, turn_ids: Sequence[str], now_ms: int) -> int:
    """Mark these turns as flushed, as far as they still wait; returns how many messages the newly marked ones hold."""
    if not turn_ids:
        return 0
    mine = (turns.c.namespace_id == namespace_id) & turns.c.id.in_(turn_ids) & turns.c.flushed_ms.is_(None)
    marked = (await tx.execute(update(turns).where(mine).values(flushed_ms=now_ms).returning(turns.c.id))).scalars()
    held = select(func.count()).select_from(messages).where(messages.c.turn_id.in_(marked.all()))
    return await tx.scalar(held) or 0


def _said(row: object) -> SaidMessage:
    columns = dict(row)  # type: ignore[call-overload]
    columns.pop("staged")
    return SaidMessage(**columns)
