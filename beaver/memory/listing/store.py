"""SQL of listings: every filter stands in the statement, before its limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, func, literal, select, tuple_, union_all

from beaver.db.engine import Transaction
from beaver.memory.listing.records import MemoryFilter, MemoryKind, ResourceEntry, StoredMessage
from beaver.memory.tables import conversations, documents, is_in, messages, observations, turns

Place = tuple[int, str]
"""Where a memory stands in a listing: its time and id."""


async def page_of_memories(
    tx: Transaction, namespace_id: int, where: MemoryFilter, *, after: Place | None, limit: int, now_ms: int
) -> list[tuple[MemoryKind, int, str]]:
    """Kind, time and id of what is wanted, the newest first, behind `after`."""
    sources = [_messages(namespace_id, where)] if where.kind != "observation" and where.type is None else []
    sources += [_observations(namespace_id, where, now_ms)] if where.kind != "message" else []
    if not sources:
        return []
    # Of each a page, which an index gives in its order: PostgreSQL would sort all that there is of both.
    newest = union_all(*(select(_page(source.subquery(), after, limit).subquery()) for source in sources)).subquery()
    rows = await tx.execute(_page(newest, None, limit))
    return [(row.kind, row.at_ms, row.id) for row in rows]


def _page(found: Subquery, after: Place | None, limit: int) -> Select[Any]:
    """The newest behind `after`."""
    page = select(found.c.kind, found.c.at_ms, found.c.id)
    if after is not None:
        page = page.where(tuple_(found.c.at_ms, found.c.id) < tuple_(*after))
    return page.order_by(found.c.at_ms.desc(), found.c.id.desc()).limit(limit)


def _messages(namespace_id: int, where: MemoryFilter) -> Select[Any]:
    wanted = [messages.c.namespace_id == namespace_id, *_between(messages.c.observed_ms, where)]
    statement = select(
        literal("message").label("kind"), messages.c.observed_ms.label("at_ms"), messages.c.id.label("id")
    )
    if where.session_id is not None:
        mine = _of_session(namespace_id, where.session_id)
        statement = statement.join(turns, turns.c.id == messages.c.turn_id)
        wanted.append(turns.c.conversation_id == mine)
    return statement.where(*wanted)


def _observations(namespace_id: int, where: MemoryFilter, now_ms: int) -> Select[Any]:
    rows = observations.c
    wanted = [rows.namespace_id == namespace_id, rows.ended_ms.is_(None), *_between(rows.created_ms, where)]
    wanted.append(func.coalesce(rows.expires_ms, now_ms + 1) > now_ms)
    if where.type is not None:
        wanted.append(rows.type == where.type)
    if where.session_id is not None:
        wanted.append(rows.conversation_id == _of_session(namespace_id, where.session_id))
    return select(literal("observation").label("kind"), rows.created_ms.label("at_ms"), rows.id.label("id")).where(
        *wanted
    )


def _between(column: ColumnElement[int], where: MemoryFilter) -> list[ColumnElement[bool]]:
    since = [] if where.since_ms is None else [column >= where.since_ms]
    return since if where.until_ms is None else [*since, column < where.until_ms]


def _of_session(namespace_id: int, session_id: str) -> Any:
    mine = conversations.c.namespace_id == namespace_id
    return select(conversations.c.id).where(mine, conversations.c.session_id == session_id).scalar_subquery()


async def read_messages(tx: Transaction, namespace_id: int, ids: Sequence[str]) -> dict[str, StoredMessage]:
    """Messages of the namespace, by id."""
    statement = (
        select(
            messages.c.id,
            conversations.c.session_id,
            messages.c.role,
            messages.c.speaker,
            messages.c.content,
            messages.c.observed_ms,
        )
        .join(turns, turns.c.id == messages.c.turn_id)
        .join(conversations, conversations.c.id == turns.c.conversation_id)
        .where(is_in(messages, namespace_id), messages.c.id.in_(ids))
    )
    return {row["id"]: StoredMessage(**row) for row in (await tx.execute(statement)).mappings()}


async def page_of_resources(
    tx: Transaction, namespace_id: int, *, after: str | None, limit: int
) -> list[ResourceEntry]:
    """Documents in the order of their URIs, behind `after`."""
    columns = documents.c
    length = func.length(columns.content).label("characters")
    statement = select(columns.uri, columns.title, length, columns.created_ms, columns.updated_ms).where(
        columns.namespace_id == namespace_id
    )
    if after is not None:
        statement = statement.where(columns.uri > after)
    rows = await tx.execute(statement.order_by(columns.uri).limit(limit))
    return [ResourceEntry(**row) for row in rows.mappings()]
