"""SQL of whole namespaces: read in pages by a rising key, written as they were read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

from sqlalchemy import Select, bindparam, func, insert, select, text
from sqlalchemy.types import JSON

from beaver.db.engine import Transaction
from beaver.memory.portability.kinds import FOUND, LINES, MESSAGE, PASSAGE_FIELDS, TURN, Fields, Kind
from beaver.memory.tables import (
    conversations,
    documents,
    is_in,
    messages,
    passages,
    turns,
)

PAGE_ROWS: Final = 500
PAGE_SIZE: Final = 4_000_000
"""Beyond so many characters read, or bytes of lines, a page ends: a document may have ten million."""


async def hold_one_snapshot(tx: Transaction) -> None:
    """Let every statement of this transaction see the same moment. First of all in it; SQLite does so by itself."""
    if tx.dialect.name == "postgresql":
        await tx.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))


async def count_rows(tx: Transaction, namespace_id: int, kind: Kind) -> int:
    """How many lines a kind has."""
    table = kind.table
    return await tx.scalar(select(func.count()).select_from(table).where(table.c.namespace_id == namespace_id)) or 0


async def is_used(tx: Transaction, namespace_id: int) -> bool:
    """Whether the namespace holds anything that an export would hold."""
    for kind in LINES.values():
        held = select(kind.table.c.namespace_id).where(kind.table.c.namespace_id == namespace_id).limit(1)
        if await tx.scalar(held) is not None:
            return True
    return False


async def read_page(tx: Transaction, namespace_id: int, kind: Kind, after: Any) -> list[tuple[Any, Fields]]:
    """The next rows of a kind by its key, each behind its key."""
    key = kind.table.c[kind.key]
    statement = _rows(kind).add_columns(key.label("_key")).where(kind.table.c.namespace_id == namespace_id)
    if after is not None:
        statement = statement.where(key > after)
    rows = (await tx.execute(statement.order_by(key).limit(PAGE_ROWS))).mappings()
    return [(row["_key"], {name: value for name, value in row.items() if name != "_key"}) for row in rows]


async def read_unfound_page(tx: Transaction, namespace_id: int, kind: Kind, after: str) -> list[tuple[str, Fields]]:
    """The next rows of a kind that no search finds."""
    table = kind.table
    if kind is TURN:
        held = (
            select(passages.c.id)
            .join(messages, messages.c.id == passages.c.message_id)
            .where(messages.c.turn_id == turns.c.id)
        )
    else:
        held = select(passages.c.id).where(passages.c[str(kind.source)] == table.c.id)
    statement = (
        _rows(kind)
        .where(table.c.namespace_id == namespace_id, table.c.id > after, ~held.exists())
        .order_by(table.c.id)
        .limit(PAGE_ROWS)
    )
    return [(row["id"], dict(row)) for row in (await tx.execute(statement)).mappings()]


async def read_places(tx: Transaction, namespace_id: int, after_id: int) -> list[Any]:
    """The next first passages, in the order in which they were stored: id, what they belong to, and their place."""
    columns = (passages.c.id, messages.c.turn_id, *(passages.c[str(kind.source)] for kind in FOUND))
    size = func.length(func.coalesce(messages.c.content, documents.c.content, "")).label("size")
    statement = (
        select(*columns, *(passages.c[name] for name in PASSAGE_FIELDS), size)
        .outerjoin(messages, messages.c.id == passages.c.message_id)
        .outerjoin(documents, documents.c.id == passages.c.document_id)
        .where(passages.c.namespace_id == namespace_id, passages.c.position == 0, passages.c.id > after_id)
        .order_by(passages.c.id)
        .limit(PAGE_ROWS)
    )
    return _of_one_page(list((await tx.execute(statement)).mappings()))


def _of_one_page(places: list[Any]) -> list[Any]:
    """The first of them, of which at least one, that are not too much to hold at once."""
    sizes = accumulate(place["size"] for place in places)
    return [place for place, size in zip(places, sizes, strict=True) if size - place["size"] < PAGE_SIZE]


async def read_by_id(tx: Transaction, namespace_id: int, kind: Kind, ids: Sequence[str]) -> dict[str, Fields]:
    """Rows of a kind, by id."""
    if not ids:
        return {}
    table = kind.table
    statement = _rows(kind).where(is_in(table, namespace_id), table.c.id.in_(ids))
    return {row["id"]: dict(row) for row in (await tx.execute(statement)).mappings()}


async def read_messages(tx: Transaction, namespace_id: int, turn_ids: Sequence[str]) -> dict[str, list[Fields]]:
    """The messages of turns in their order, each with its place in `passage`."""
    held: dict[str, list[Fields]] = {turn_id: [] for turn_id in turn_ids}
    if not turn_ids:
        return held
    statement = (
        select(
            messages.c.turn_id,
            *(messages.c[name] for name in MESSAGE.columns),
            *(passages.c[name].label(f"_{name}") for name in PASSAGE_FIELDS),
        )
        .outerjoin(passages, (passages.c.message_id == messages.c.id) & (passages.c.position == 0))
        .where(is_in(messages, namespace_id), messages.c.turn_id.in_(turn_ids))
        .order_by(messages.c.turn_id, messages.c.position)
    )
    for row in (await tx.execute(statement)).mappings():
        place = {name: row[f"_{name}"] for name in PASSAGE_FIELDS}
        fields = {name: row[name] for name in MESSAGE.columns}
        held[row["turn_id"]].append({**fields, "passage": None if place["observed_ms"] is None else place})
    return held


async def find_conversations(tx: Transaction, namespace_id: int, session_ids: Sequence[str]) -> dict[str, int]:
    """The numbers of conversations, by session id."""
    mine = select(conversations.c.session_id, conversations.c.id).where(
        conversations.c.namespace_id == namespace_id, conversations.c.session_id.in_(session_ids)
    )
    return {row.session_id: row.id for row in await tx.execute(mine)}


async def insert_rows(tx: Transaction, kind: Kind, rows: Sequence[Fields]) -> None:
    """Store rows with all their columns, in their order."""
    if not rows:
        return
    names = list(rows[0])
    # A missing value is NULL in a column of JSON too, not JSON's null.
    values = {
        name: bindparam(name, type_=JSON(none_as_null=True))
        for name in names
        if isinstance(kind.table.c[name].type, JSON)
    }
    plain: dict[str, Any] = {name: bindparam(name) for name in names if name not in values}
    await tx.execute(insert(kind.table).values({**plain, **values}), list(rows))


def _rows(kind: Kind) -> Select[Any]:
    columns = [kind.table.c[name] for name in kind.columns]
    if not kind.in_session:
        return select(*columns)
    joined = conversations.c.id == kind.table.c.conversation_id
    return select(*columns, conversations.c.session_id).outerjoin(conversations, joined)
