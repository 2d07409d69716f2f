"""SQL of staged turns: those that no flush has captured yet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Select, bindparam, func, select, update
from sqlalchemy.sql.dml import ReturningUpdate

from beaver.db.dialect import SqlDialect, dialect_of
from beaver.db.engine import Transaction
from beaver.memory.tables import is_in, messages, turns
from beaver.memory.transcripts.said import SaidMessage, StagedTurn

_SAID: Final = (
    messages.c.turn_id,
    messages.c.id.label("message_id"),
    messages.c.role,
    messages.c.speaker,
    messages.c.content,
    messages.c.observed_ms,
)


# Made once: to build a statement costs as much as to run it.
_STAGED: Final = (
    is_in(turns, bindparam("namespace")),
    turns.c.conversation_id == bindparam("conversation"),
    turns.c.flushed_ms.is_(None),
)
_LAST: Final = select(func.max(turns.c.sequence)).where(*_STAGED)
_OLDEST: Final = (
    select(turns.c.id, turns.c.sequence)
    .where(*_STAGED, turns.c.sequence <= bindparam("sequence_max"))
    .order_by(turns.c.sequence)
    .limit(bindparam("limit"))
    .subquery()
)
_OLDEST_SAID: Final = (
    select(_OLDEST.c.id.label("staged"), *_SAID)
    .outerjoin(messages, messages.c.turn_id == _OLDEST.c.id)
    .order_by(_OLDEST.c.sequence, messages.c.position)
)


async def last_staged_sequence(tx: Transaction, namespace_id: int, conversation_id: int) -> int | None:
    """The sequence of the newest turn that waits, or None when none does."""
    found: int | None = await tx.scalar(_LAST, {"namespace": namespace_id, "conversation": conversation_id})
    return found


async def staged_turns(
    tx: Transaction, namespace_id: int, conversation_id: int, *, sequence_max: int, limit: int
) -> list[StagedTurn]:
    """The oldest turns that wait, up to one sequence, in order; a turn whose messages were removed has none."""
    asked = {"namespace": namespace_id, "conversation": conversation_id, "sequence_max": sequence_max, "limit": limit}
    rows = (await tx.execute(_OLDEST_SAID, asked)).mappings()
    return [
        StagedTurn(turn_id, tuple(_said(row) for row in of_turn if row["message_id"] is not None))
        for turn_id, of_turn in groupby(rows, key=lambda row: row["staged"])
    ]


async def mark_flushed(tx: Transaction, namespace_id: int, turn_ids: Sequence[str], now_ms: int) -> int:
    """Mark these turns as flushed, as far as they still wait; returns how many messages the newly marked ones hold."""
    if not turn_ids:
        return 0
    dialect = dialect_of(tx)
    mark, held = _marking(dialect)
    of = {"namespace": namespace_id, "now_ms": now_ms, "turn_ids": dialect.many(turn_ids)}
    marked = (await tx.execute(mark, of)).scalars().all()
    return await tx.scalar(held, {"turn_ids": dialect.many(marked)}) or 0


@cache
def _marking(dialect: SqlDialect) -> tuple[ReturningUpdate[Any], Select[Any]]:
    """What marks turns, and what counts the messages of marked ones."""
    mine = is_in(turns, bindparam("namespace")) & dialect.is_one_of(turns.c.id, "turn_ids")
    waiting = update(turns).where(mine, turns.c.flushed_ms.is_(None))
    held = select(func.count()).select_from(messages).where(dialect.is_one_of(messages.c.turn_id, "turn_ids"))
    return waiting.values(flushed_ms=bindparam("now_ms")).returning(turns.c.id), held


def _said(row: object) -> SaidMessage:
    columns = dict(row)  # type: ignore[call-overload]
    columns.pop("staged")
    return SaidMessage(**columns)
