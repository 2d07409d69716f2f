"""SQL of passages: the spans that a search can find, kept in step with the full-text index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, bindparam, delete, false, func, insert, or_, select, true

from beaver.db.dialect import SqlDialect, dialect_of
from beaver.db.engine import Transaction
from beaver.memory.embedding.texts import whole_text
from beaver.memory.retrieval import fulltext
from beaver.memory.retrieval.chunking import IndexedSpan
from beaver.memory.retrieval.dates import DAY_MS, Days
from beaver.memory.retrieval.terms import scope_tokens
from beaver.memory.tables import conversations, documents, is_in, messages, observations, passages, session_summaries
from beaver.schemas.gateway import Scope

COUNTED_MAX: Final = 10_000
_SOURCES: Final = ("message_id", "document_id", "observation_id", "summary_id")


@dataclass(frozen=True)
class NewPassage:
    """A span of a message (then with its place in its conversation) or of a document, or a whole observation or summary."""

    indexed: IndexedSpan
    position: int
    observed_ms: int
    conversation_id: int | None = None
    message_id: str | None = None
    document_id: str | None = None
    observation_id: str | None = None
    summary_id: str | None = None
    ordinal: int | None = None
    episode: int | None = None


async def add_passages(tx: Transaction, namespace_id: int, new: Sequence[NewPassage]) -> None:
    """Store passages and make them findable."""
    await add_passages_of(tx, {namespace_id: new})


async def add_passages_of(tx: Transaction, new: Mapping[int, Sequence[NewPassage]]) -> None:
    """add_passages for several namespaces, by their numbers, at once."""
    placed = [(namespace_id, passage) for namespace_id, some in new.items() for passage in some]
    if not placed:
        return
    # Not in the order of the parameters: that would make SQLAlchemy insert row by row.
    place = (*(passages.c[source] for source in _SOURCES), passages.c.position)
    stored = await tx.execute(insert(passages).returning(passages.c.id, *place), [_row(*each) for each in placed])
    ids = {tuple(rest): passage_id for passage_id, *rest in stored}
    await fulltext.insert_rows(
        tx,
        [
            fulltext.IndexRow(
                ids[(*(getattr(passage, source) for source in _SOURCES), passage.position)],
                passage.indexed.words,
                scope_tokens(namespace_id, passage.conversation_id),
            )
            for namespace_id, passage in placed
        ],
    )


def _row(namespace_id: int, passage: NewPassage) -> dict[str, Any]:
    return {
        "namespace_id": namespace_id,
        "conversation_id": passage.conversation_id,
        "message_id": passage.message_id,
        "document_id": passage.document_id,
        "observation_id": passage.observation_id,
        "summary_id": passage.summary_id,
        "position": passage.position,
        "start": passage.indexed.span.start,
        "length": passage.indexed.span.length,
        "observed_ms": passage.observed_ms,
        "episode": passage.episode,
        "ordinal": passage.ordinal,
        "signature": passage.indexed.signature,
        "section": passage.indexed.section,
        "page": passage.indexed.page,
    }


async def remove_passages(tx: Transaction, mine: ColumnElement[bool]) -> Sequence[int]:
    """Remove the passages that a condition names, from the index too; their vectors go with them. Returns their ids."""
    ids = (await tx.execute(select(passages.c.id).where(mine))).scalars().all()
    await fulltext.delete_rows(tx, ids)
    await tx.execute(delete(passages).where(mine))
    return ids


async def count_passages(tx: Transaction, namespace_id: int) -> int:
    """How many passages the namespace has; counting stops at 10,000."""
    some = select(passages.c.id).where(passages.c.namespace_id == namespace_id).limit(COUNTED_MAX).subquery()
    return await tx.scalar(select(func.count()).select_from(some)) or 0


async def newest_passages(
    tx: Transaction,
    namespace_id: int,
    conversation_id: int | None,
    scopes: Sequence[Scope],
    *,
    limit: int,
    days: Sequence[Days] = (),
) -> list[tuple[int, int]]:
    """The newest messages and documents in scope, by their first passage: (id, observed_ms), newest first.

    With `days` messages alone, of those.
    """
    within = [passages.c.observed_ms.between(one.first * DAY_MS, (one.last + 1) * DAY_MS - 1) for one in days]
    then = and_(passages.c.message_id.is_not(None), or_(*within)) if within else true()
    statement = (
        select(passages.c.id, passages.c.observed_ms)
        .where(
            passages.c.namespace_id == namespace_id,
            passages.c.position == 0,
            _in_scopes(conversation_id, scopes),
            then,
        )
        .order_by(passages.c.observed_ms.desc(), passages.c.id.desc())
        .limit(limit)
    )
    return [(passage_id, observed_ms) for passage_id, observed_ms in await tx.execute(statement)]


async def newest_learned(
    tx: Transaction,
    namespace_id: int,
    conversation_id: int | None,
    scopes: Sequence[Scope],
    *,
    now_ms: int,
    limit: int,
) -> list[tuple[int, int]]:
    """The active observations in scope whose time is not over, by their passages: (id, updated_ms), the last changed first."""
    tests: dict[Scope, ColumnElement[bool]] = {
        "current_chat": observations.c.conversation_id == (-1 if conversation_id is None else conversation_id),
        "resources": false(),
        "all_user_memory": true(),
    }
    statement = (
        select(passages.c.id, observations.c.updated_ms)
        .join(passages, passages.c.observation_id == observations.c.id)
        .where(
            observations.c.namespace_id == namespace_id,
            observations.c.ended_ms.is_(None),
            or_(observations.c.expires_ms.is_(None), observations.c.expires_ms > now_ms),
            or_(*(tests[scope] for scope in scopes)),
        )
        .order_by(observations.c.updated_ms.desc(), observations.c.id.desc())
        .limit(limit)
    )
    return [(passage_id, updated_ms) for passage_id, updated_ms in await tx.execute(statement)]


def _in_scopes(conversation_id: int | None, scopes: Sequence[Scope]) -> ColumnElement[bool]:
    tests: dict[Scope, ColumnElement[bool]] = {
        "current_chat": passages.c.conversation_id == (-1 if conversation_id is None else conversation_id),
        "resources": passages.c.document_id.is_not(None),
        "all_user_memory": passages.c.message_id.is_not(None),
    }
    return or_(*(tests[scope] for scope in scopes))


@dataclass(frozen=True)
class Passage:
    """What a passage says and where it comes from: a message (`message_id`, `session_id`, `role`, `speaker`), a document (there
    it begins in `section`, on `page`), an observation (learned from the messages `evidence`, changed or said again at
    `updated_ms`) or a session's summary.
    """

    id: int
    conversation_id: int | None
    message_id: str | None
    document_id: str | None
    observation_id: str | None
    summary_id: str | None
    position: int
    observed_ms: int
    text: str
    session_id: str | None
    role: str | None
    speaker: str | None
    uri: str | None
    title: str | None
    evidence: tuple[str, ...]
    updated_ms: int | None = None
    section: str | None = None
    page: int | None = None


_READ_AS_THEY_ARE: Final = tuple(one.name for one in fields(Passage) if one.name != "evidence")


async def read_passages(tx: Transaction, namespace_id: int, passage_ids: Sequence[int]) -> dict[int, Passage]:
    """Passages of the namespace, by id."""
    dialect = dialect_of(tx)
    asked = {"namespace_id": namespace_id, "passage_ids": dialect.many(passage_ids)}
    read = [_passage(row) for row in (await tx.execute(_reading(dialect), asked)).mappings()]
    return {passage.id: passage for passage in read}


@cache
def _reading(dialect: SqlDialect) -> Select[Any]:
    """Made once a dialect: to build such a statement costs more than to run it."""
    content = func.coalesce(messages.c.content, documents.c.content)
    return (
        select(
            passages.c.id,
            passages.c.conversation_id,
            passages.c.message_id,
            passages.c.document_id,
            passages.c.observation_id,
            passages.c.summary_id,
            passages.c.position,
            passages.c.observed_ms,
            passages.c.section,
            passages.c.page,
            func.substr(content, passages.c.start + 1, passages.c.length).label("text"),
            conversations.c.session_id,
            messages.c.role,
            messages.c.speaker,
            documents.c.uri,
            func.coalesce(documents.c.title, observations.c.title).label("title"),
            observations.c.narrative,
            observations.c.facts,
            observations.c.evidence,
            observations.c.updated_ms,
            session_summaries.c.request,
            session_summaries.c.outcome,
            session_summaries.c.decisions,
            session_summaries.c.open_items,
        )
        .outerjoin(messages, messages.c.id == passages.c.message_id)
        .outerjoin(conversations, conversations.c.id == passages.c.conversation_id)
        .outerjoin(documents, documents.c.id == passages.c.document_id)
        .outerjoin(observations, observations.c.id == passages.c.observation_id)
        .outerjoin(session_summaries, session_summaries.c.id == passages.c.summary_id)
        .where(
            dialect.is_one_of(passages.c.id, "passage_ids"),
            is_in(passages, bindparam("namespace_id")),
        )
    )


def _passage(row: Mapping[Any, Any]) -> Passage:
    parts = {name: row[name] for name in _READ_AS_THEY_ARE}
    if row["observation_id"] is not None:
        parts["text"] = whole_text(row["title"], row["narrative"], row["facts"])
    elif row["summary_id"] is not None:
        parts["text"] = whole_text(row["request"], row["outcome"], row["decisions"], row["open_items"])
    return Passage(**parts, evidence=tuple(one["message_id"] for one in row["evidence"] or ()))
