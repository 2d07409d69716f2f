"""SQL of session summaries, and of what they are made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, asc, bindparam, delete, desc, func, insert, or_, select, update

from beaver.db.engine import Transaction
from beaver.memory.summaries.records import SessionSummary, Summary
from beaver.memory.tables import conversations, is_in, messages, observations, session_summaries, turns

TITLES_MAX: Final = 200
TURNS_LOOKED_AT_MAX: Final = 100
"""From a session's beginning for its first request, from its end for its last answer: a long session may hold neither."""
_COLUMNS: Final = (
    session_summaries.c.id,
    session_summaries.c.request,
    session_summaries.c.outcome,
    session_summaries.c.decisions,
    session_summaries.c.open_items,
    session_summaries.c.observation_count,
    session_summaries.c.created_ms,
    session_summaries.c.updated_ms,
)


@dataclass(frozen=True)
class Learned:
    """What a conversation's active observations come to: the titles of its decisions and open tasks, oldest first, and how
    many observations there are in all."""

    decisions: list[str]
    open_items: list[str]
    count: int


@dataclass(frozen=True)
class SaidThen:
    """What was said, when (UTC epoch ms), in which message and by whom."""

    text: str
    at_ms: int
    message_id: str
    role: str


async def first_request(tx: Transaction, namespace_id: int, conversation_id: int) -> SaidThen | None:
    """The first message of a user, or None where the first 100 turns hold none."""
    return await _said(tx, _said_by("user", asc), namespace_id, conversation_id)


async def last_answer(tx: Transaction, namespace_id: int, conversation_id: int) -> SaidThen | None:
    """The last message of the assistant, or None where the last 100 turns hold none."""
    return await _said(tx, _said_by("assistant", desc), namespace_id, conversation_id)


async def read_learned(tx: Transaction, namespace_id: int, conversation_id: int, now_ms: int) -> Learned:
    """What was learned in the conversation and still holds at `now_ms`."""
    asked = {"namespace": namespace_id, "conversation": conversation_id, "now_ms": now_ms}
    rows = list(await tx.execute(_TELLING, asked))[::-1]
    return Learned(
        decisions=[row.title for row in rows if row.type == "decision"],
        open_items=[row.title for row in rows if row.type == "task"],
        count=await tx.scalar(_COUNTED, asked) or 0,
    )


async def find_summary(tx: Transaction, namespace_id: int, conversation_id: int) -> SessionSummary | None:
    """The conversation's summary."""
    asked = {"namespace": namespace_id, "conversation": conversation_id}
    row = (await tx.execute(_OF_CONVERSATION, asked)).mappings().one_or_none()
    return None if row is None else _session_summary(row)


async def add_summary(
    tx: Transaction, namespace_id: int, conversation_id: int, summary_id: str, summary: Summary, now_ms: int
) -> None:
    """Store the summary of a conversation that has none. The caller has the namespace's turn to write."""
    await tx.execute(
        insert(session_summaries).values(
            id=summary_id,
            namespace_id=namespace_id,
            conversation_id=conversation_id,
            created_ms=now_ms,
            updated_ms=now_ms,
            **_values(summary),
        )
    )


async def replace_summary(tx: Transaction, namespace_id: int, summary_id: str, summary: Summary, now_ms: int) -> None:
    """Store other content under a summary's id."""
    mine = (session_summaries.c.namespace_id == namespace_id) & (session_summaries.c.id == summary_id)
    await tx.execute(update(session_summaries).where(mine).values(updated_ms=now_ms, **_values(summary)))


async def delete_summary(tx: Transaction, namespace_id: int, summary_id: str) -> None:
    """Remove a summary's row; its passage must be gone."""
    mine = (session_summaries.c.namespace_id == namespace_id) & (session_summaries.c.id == summary_id)
    await tx.execute(delete(session_summaries).where(mine))


async def recent_summaries(tx: Transaction, namespace_id: int, *, limit: int) -> list[SessionSummary]:
    """The namespace's summaries, the last changed first."""
    statement = _summaries().order_by(session_summaries.c.updated_ms.desc(), session_summaries.c.id.desc())
    rows = (await tx.execute(statement.limit(limit), {"namespace": namespace_id})).mappings()
    return [_session_summary(row) for row in rows]


async def _said(tx: Transaction, by: Select[Any], namespace_id: int, conversation_id: int) -> SaidThen | None:
    row = (await tx.execute(by, {"namespace": namespace_id, "conversation": conversation_id})).one_or_none()
    return None if row is None else SaidThen(*row)


@cache
def _said_by(role: str, order: Callable[[Any], ColumnElement[Any]]) -> Select[Any]:
    near = (
        select(turns.c.id, turns.c.sequence)
        .where(is_in(turns, bindparam("namespace")), turns.c.conversation_id == bindparam("conversation"))
        .order_by(order(turns.c.sequence))
        .limit(TURNS_LOOKED_AT_MAX)
        .subquery()
    )
    return (
        select(messages.c.content, messages.c.observed_ms, messages.c.id, messages.c.role)
        .join(near, near.c.id == messages.c.turn_id)
        .where(messages.c.role == role)
        .order_by(order(near.c.sequence), order(messages.c.position))
        .limit(1)
    )


def _summaries() -> Select[Any]:
    return (
        select(*_COLUMNS, conversations.c.session_id)
        .join(conversations, conversations.c.id == session_summaries.c.conversation_id)
        .where(session_summaries.c.namespace_id == bindparam("namespace"))
    )


# Made once: each turn asks them, and to build a statement costs as much as to run it.
_OF_CONVERSATION: Final = _summaries().where(session_summaries.c.conversation_id == bindparam("conversation"))
_LIVE: Final = (
    # They are looked for in the conversation, and not in order among all of the namespace.
    is_in(observations, bindparam("namespace")),
    observations.c.conversation_id == bindparam("conversation"),
    observations.c.ended_ms.is_(None),
    or_(observations.c.expires_ms.is_(None), observations.c.expires_ms > bindparam("now_ms")),
)
_COUNTED: Final = select(func.count()).select_from(observations).where(*_LIVE)
_TELLING: Final = (
    select(observations.c.type, observations.c.title)
    .where(*_LIVE, observations.c.type.in_(("decision", "task")))
    .order_by(observations.c.updated_ms.desc(), observations.c.id.desc())
    .limit(TITLES_MAX)
)


def _values(summary: Summary) -> dict[str, Any]:
    return {
        "request": summary.request,
        "outcome": summary.outcome,
        "decisions": list(summary.decisions),
        "open_items": list(summary.open_items),
        "observation_count": summary.observation_count,
    }


def _session_summary(row: Any) -> SessionSummary:
    summary = Summary(
        row["request"], row["outcome"], tuple(row["decisions"]), tuple(row["open_items"]), row["observation_count"]
    )
    return SessionSummary(row["id"], row["session_id"], summary, row["created_ms"], row["updated_ms"])
