"""SQL that counts."""

from __future__ import annotations

from typing import Final

from sqlalchemy import ColumnElement, Table, func, select, table, text

from beaver.db.engine import Transaction
from beaver.memory.tables import (
    FULLTEXT_TABLE,
    conversations,
    documents,
    embeddings,
    messages,
    namespaces,
    observation_archive,
    observations,
    passages,
    session_summaries,
    users,
)

_COUNTED: Final = {
    "users": users,
    "conversations": conversations,
    "messages": messages,
    "resources": documents,
    "observations": observations,
    "archived": observation_archive,
    "summaries": session_summaries,
    "passages": passages,
}
_SIZES: Final = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    "postgresql": "SELECT pg_database_size(current_database())",
}


async def count_kinds(tx: Transaction) -> dict[str, int]:
    """Rows by kind, without staged ones; of observations the active ones."""
    counts = {}
    for name, counted in _COUNTED.items():
        statement = select(func.count()).select_from(counted)
        if counted is observations:
            statement = statement.where(observations.c.ended_ms.is_(None))
        counts[name] = await tx.scalar(statement) or 0
        if "namespace_id" in counted.c:
            counts[name] -= await tx.scalar(statement.where(_is_staged(counted))) or 0
    return counts


async def count_without_vectors(tx: Transaction) -> int:
    """Passages that no encoder has seen, without staged ones."""
    seen = select(embeddings.c.id).where(embeddings.c.passage_id == passages.c.id)
    bare = select(func.count()).select_from(passages).where(~seen.exists(), ~_is_staged(passages))
    return await tx.scalar(bare) or 0


async def count_indexed(tx: Transaction) -> int:
    """Passages whose words are in the full-text index, without staged ones."""
    staged = select(func.count()).select_from(passages).where(_is_staged(passages))
    return (await tx.scalar(select(func.count()).select_from(table(FULLTEXT_TABLE))) or 0) - (
        await tx.scalar(staged) or 0
    )


async def database_bytes(tx: Transaction) -> int:
    """How large the database is."""
    return int(await tx.scalar(text(_SIZES[tx.dialect.name])) or 0)


async def list_users(tx: Transaction, after: str, limit: int) -> list[tuple[str, int]]:
    """Users behind an id, with when they were made."""
    some = select(users.c.id, users.c.created_ms).where(users.c.id > after).order_by(users.c.id).limit(limit)
    return [(user_id, created_ms) for user_id, created_ms in await tx.execute(some)]


async def largest_users(tx: Transaction, *, limit: int) -> list[tuple[str, int]]:
    """Who has the most passages, and how many."""
    count = func.count(passages.c.id)
    statement = (
        select(namespaces.c.user_id, count)
        .join(passages, passages.c.namespace_id == namespaces.c.id)
        .where(namespaces.c.staged_ms.is_(None))
        .group_by(namespaces.c.user_id)
        .order_by(count.desc(), namespaces.c.user_id)
        .limit(limit)
    )
    return [(user_id, held) for user_id, held in await tx.execute(statement)]


def _is_staged(counted: Table) -> ColumnElement[bool]:
    """Whether a row belongs to a restore that nobody sees yet."""
    return counted.c.namespace_id.in_(select(namespaces.c.id).where(namespaces.c.staged_ms.is_not(None)))
