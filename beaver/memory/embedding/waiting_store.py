"""SQL of what waits for vectors: passages without any of a model, with the text to encode for each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, bindparam, func, or_, select

from beaver.db.dialect import SqlDialect, dialect_of
from beaver.db.engine import Transaction
from beaver.memory.embedding.texts import document_text, message_text, whole_text
from beaver.memory.tables import documents, embeddings, messages, namespaces, observations, passages, session_summaries


@dataclass(frozen=True)
class Waiting:
    """A passage without vectors of a model, and the text to encode for it."""

    passage_id: int
    namespace_id: int
    text: str


@dataclass(frozen=True)
class Rested:
    """Which summaries have rested: those written at `until_ms` or before, of whatever day they tell, and those ahead of a clock
    that stepped back to `now_ms`.
    """

    until_ms: int
    now_ms: int


async def waiting_between(
    tx: Transaction,
    model: str,
    after_id: int,
    upto_id: int,
    rested: Rested,
    *,
    limit: int,
    without: Collection[int] = (),
) -> list[Waiting]:
    """Passages with ids in (after_id, upto_id] that wait for the model, newest first; of summaries those that have rested. Never
    those `without`."""
    dialect = dialect_of(tx)
    ids = {"after_id": after_id, "upto_id": upto_id, "without": dialect.many(without)}
    where = {**ids, "rested_ms": rested.until_ms, "now_ms": rested.now_ms}
    rows = await tx.execute(_between(dialect), {"model": model, "limit": limit, **where})
    return [_as_waiting(row) for row in rows.mappings()]


async def waiting_in_conversation(
    tx: Transaction, model: str, conversation_id: int, since_ms: int, *, limit: int
) -> list[Waiting]:
    """What was said and learned in a conversation since then and waits for the model, newest first."""
    where = {"conversation": conversation_id, "since_ms": since_ms}
    rows = await tx.execute(_in_conversation(), {"model": model, "limit": limit, **where})
    return [_as_waiting(row) for row in rows.mappings()]


async def newest_passage_id(tx: Transaction) -> int:
    """The highest id of any passage; 0 without one."""
    return await tx.scalar(_NEWEST) or 0


async def count_changed_summaries(tx: Transaction, since_ms: int) -> int:
    """How many sessions have a summary that was written since then (UTC epoch ms)."""
    changed = select(func.count()).select_from(session_summaries).where(session_summaries.c.updated_ms > since_ms)
    return await tx.scalar(changed) or 0


# Made once: each turn asks some of these, and to build a statement costs as much as to run it.
_NEWEST: Final = select(func.max(passages.c.id))


@cache
def _between(dialect: SqlDialect) -> Select[Any]:
    here = (passages.c.id > bindparam("after_id")) & (passages.c.id <= bindparam("upto_id"))
    rested = or_(
        passages.c.summary_id.is_(None),
        session_summaries.c.updated_ms <= bindparam("rested_ms"),
        session_summaries.c.updated_ms > bindparam("now_ms"),
    )
    return _waiting(here & rested & ~dialect.is_one_of(passages.c.id, "without"))


@cache
def _in_conversation() -> Select[Any]:
    since = (passages.c.observed_ms >= bindparam("since_ms")) & passages.c.summary_id.is_(None)
    return _waiting((passages.c.conversation_id == bindparam("conversation")) & since)


def _waiting(which: ColumnElement[bool]) -> Select[Any]:
    """Passages with all that their text is made of, newest first."""
    # Looked up for each: for NOT EXISTS, PostgreSQL reads all vectors beside some hundred passages.
    vectors = select(embeddings.c.id).where(
        embeddings.c.passage_id == passages.c.id, embeddings.c.model == bindparam("model")
    )
    content = func.coalesce(messages.c.content, documents.c.content)
    return (
        select(
            passages.c.id,
            passages.c.namespace_id,
            passages.c.section,
            func.substr(content, passages.c.start + 1, passages.c.length).label("text"),
            namespaces.c.user_id,
            messages.c.speaker,
            documents.c.title.label("document_title"),
            observations.c.title.label("observation_title"),
            observations.c.narrative,
            observations.c.facts,
            session_summaries.c.request,
            session_summaries.c.outcome,
            session_summaries.c.decisions,
            session_summaries.c.open_items,
        )
        .join(namespaces, namespaces.c.id == passages.c.namespace_id)
        .outerjoin(messages, messages.c.id == passages.c.message_id)
        .outerjoin(documents, documents.c.id == passages.c.document_id)
        .outerjoin(observations, observations.c.id == passages.c.observation_id)
        .outerjoin(session_summaries, session_summaries.c.id == passages.c.summary_id)
        .where(which, vectors.scalar_subquery().is_(None))
        .order_by(passages.c.id.desc())
        .limit(bindparam("limit"))
    )


def _as_waiting(row: Any) -> Waiting:
    return Waiting(row["id"], row["namespace_id"], _text(row))


def _text(row: Any) -> str:
    if row["speaker"] is not None:
        return message_text(row["text"], row["speaker"], row["user_id"])
    if row["document_title"] is not None:
        return document_text(row["text"], row["document_title"], row["section"])
    if row["observation_title"] is not None:
        return whole_text(row["observation_title"], row["narrative"], row["facts"])
    return whole_text(row["request"], row["outcome"], row["decisions"], row["open_items"])
