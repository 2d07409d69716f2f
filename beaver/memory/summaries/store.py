"""SQL of session summaries, and of what they are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Select, delete, func, insert, or_, select, update

from beaver.db.engine import Transaction
from beaver.memory.summaries.records import SessionSummary, Summary
from beaver.memory.tables import conversations, messages, observations, session_summaries, turns

TITLES_MAX: Final = 200
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


async def first_request(tx: Transaction, namespace_id: int, conversation_id: int) -> str | None:
    """The first message of a user, or None."""
    statement = _said_by(namespace_id, conversation_id, "user").order_by(turns.c.sequence, messages.c.position)
    found: str | None = await tx.scalar(statement)
    return found


async def last_answer(tx: Transaction, namespace_id: int, conversation_id: int) -> str | None:
    """The last message of the assistant, or None."""
    statement = _said_by(namespace_id, conversation_id, "assistant").order_by(
        turns.c.sequence.desc(), messages.c.position.desc()
    )
    found: str | None = await tx.scalar(statement)
    return found


async def read_learned(tx: Transaction, namespace_id: int, conversation_id: int, now_ms: int) -> Learned:
    """What was learned in the conversation and still holds at `now_ms`."""
    live = (
        observations.c.namespace_id == namespace_id,
        observations.c.conversation_id == conversation_id,
        observations.c.ended_ms.is_(None),
        or_(observations.c.expires_ms.is_(None), observations.c.expires_ms > now_ms),
    )
    telling = (
        select(observations.c.type, observations.c.title)
        .where(*live, observations.c.type.in_(("decision", "task")))
        .order_by(observations.c.updated_ms.desc(), observations.c.id.desc())
        .limit(TITLES_MAX)
    )
    rows = list(await tx.execute(telling))[::-1]
    return Learned(
        decisions=[row.title for row in rows if row.type == "decision"],
        open_items=[row.title for row in rows if row.type == "task"],
        count=await tx.scalar(select(func.count()).select_from(observations).where(*live)) or 0,
    )


async def find_summary(tx: Transaction, namespace_id: int, conversation_id: int) -> SessionSummary | None:
    """The conversation's summary."""
    mine = session_summaries.c.conversation_id == conversation_id
    row = (await tx.execute(_summaries(namespace_id).where(mine))).mappings().one_or_none()
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
    statement = _summaries(namespace_id).order_by(session_summaries.c.updated_ms.desc(), session_summaries.c.id.desc())
    return [_session_summary(row) for row in (await tx.execute(statement.limit(limit))).mappings()]


def _said_by(namespace_id: int, conversation_id: int, role: str) -> Select[tuple[str]]:
    return (
        select(messages.c.content)
        .join(turns, turns.c.id == messages.c.turn_id)
        .where(
            turns.c.namespace_id == namespace_id, turns.c.conversation_id == conversation_id, messages.c.role == role
        )
        .limit(1)
    )


def _summaries(namespace_id: int) -> Select[Any]:
    return (
        select(*_COLUMNS, conversations.c.session_id)
        .join(conversations, conversations.c.id == session_summaries.c.conversation_id)
        .where(session_summaries.c.namespace_id == namespace_id)
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
