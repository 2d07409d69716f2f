"""SQL of vectors: storing and reading them, how many there are, and the end of a model's."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, bindparam, delete, func, insert, select, update

from beaver.db.dialect import SqlDialect, dialect_of
from beaver.db.engine import Transaction
from beaver.memory.embedding.packing import packed_bytes
from beaver.memory.tables import embedding_pieces, embeddings, is_in, namespaces, passages


@dataclass(frozen=True)
class Packed:
    """A passage's vectors as packing.py makes them; `pieces` and `piece_ids` where the model has them."""

    dimensions: int
    vector: bytes
    pieces: bytes | None = None
    piece_ids: bytes | None = None


async def add_vectors(
    tx: Transaction, namespace_id: int, model: str, made: Sequence[tuple[int, Packed]], now_ms: int
) -> int:
    """Store vectors of passages (by id) that still are there and have none of the model; returns of how many passages.

    The transaction has the namespace's turn to write from here on, so that nothing forgets a passage in between.
    """
    await tx.execute(_TURN_TAKEN, {"namespace": namespace_id})
    dialect = dialect_of(tx)
    asked = {"namespace": namespace_id, "passage_ids": dialect.many([one for one, _ in made])}
    ids = set((await tx.execute(_there(dialect), asked)).scalars())
    new = [(passage_id, packed) for passage_id, packed in made if passage_id in ids]
    stored = await _insert(tx, namespace_id, model, new, now_ms)
    pieces = [
        (stored[passage_id], packed.pieces) for passage_id, packed in new if passage_id in stored and packed.pieces
    ]
    if pieces:
        rows = [{"embedding_id": one, "namespace_id": namespace_id, "pieces": packed} for one, packed in pieces]
        await tx.execute(insert(embedding_pieces), rows)
    return len(stored)


# Made once: to build a statement costs as much as to run it.
_TURN_TAKEN: Final = (
    update(namespaces).where(namespaces.c.id == bindparam("namespace")).values(revision=namespaces.c.revision + 1)
)


@cache
def _there(dialect: SqlDialect) -> Select[Any]:
    mine = is_in(passages, bindparam("namespace"))
    return select(passages.c.id).where(mine, dialect.is_one_of(passages.c.id, "passage_ids"))


async def _insert(
    tx: Transaction, namespace_id: int, model: str, new: Sequence[tuple[int, Packed]], now_ms: int
) -> dict[int, int]:
    """The ids of the rows made, by the passage's; none for a passage that has one."""
    rows = [
        {
            "namespace_id": namespace_id,
            "passage_id": passage_id,
            "model": model,
            "dimensions": packed.dimensions,
            "vector": packed.vector,
            "piece_ids": packed.piece_ids,
            "created_ms": now_ms,
        }
        for passage_id, packed in new
    ]
    if not rows:
        return {}
    statement = dialect_of(tx).insert(embeddings).on_conflict_do_nothing()
    made = await tx.execute(statement.returning(embeddings.c.passage_id, embeddings.c.id), rows)
    return {row[0]: row[1] for row in made}


def is_sound() -> ColumnElement[bool]:
    """That a row of vectors is as long as it must be. A file that was damaged costs the passage its vectors, nobody a search."""
    columns = embeddings.c
    whole: ColumnElement[bool] = func.length(columns.vector) == packed_bytes(columns.dimensions)
    return whole & (columns.piece_ids.is_(None) | (func.length(columns.piece_ids) % 2 == 0))


async def whole_vectors_of(tx: Transaction, model: str, passage_ids: Collection[int]) -> list[tuple[int, bytes]]:
    """The packed whole-text vectors of passages, with the passage's id, as far as they have sound ones; in any order.

    Whether one is sound is not asked of the database: PostgreSQL would expect next to no rows, and read the whole table for them.
    """
    dialect = dialect_of(tx)
    rows = await tx.execute(_whole(dialect), {"model": model, "passage_ids": dialect.many(passage_ids)})
    return [
        (row.passage_id, row.vector)
        for row in rows
        if len(row.vector) == packed_bytes(row.dimensions) and (row.ids_bytes or 0) % 2 == 0
    ]


@cache
def _whole(dialect: SqlDialect) -> Select[Any]:
    columns = embeddings.c
    named = select(
        columns.passage_id, columns.vector, columns.dimensions, func.length(columns.piece_ids).label("ids_bytes")
    )
    return named.where(dialect.is_one_of(columns.passage_id, "passage_ids"), columns.model == bindparam("model"))


async def pieces_of(tx: Transaction, namespace_id: int, model: str, passage_ids: Collection[int]) -> dict[int, bytes]:
    """The packed word pieces of the namespace's passages, by the passage's id; none for one without."""
    dialect = dialect_of(tx)
    asked = {"namespace_id": namespace_id, "model": model, "passage_ids": dialect.many(passage_ids)}
    return {row[0]: row[1] for row in await tx.execute(_pieces(dialect), asked)}


@cache
def _pieces(dialect: SqlDialect) -> Select[Any]:
    """Made once a dialect: to build a statement costs as much as to run it."""
    return (
        select(embeddings.c.passage_id, embedding_pieces.c.pieces)
        .join(embedding_pieces, embedding_pieces.c.embedding_id == embeddings.c.id)
        .where(
            dialect.is_one_of(embeddings.c.passage_id, "passage_ids"),
            embeddings.c.model == bindparam("model"),
            2 * func.length(embedding_pieces.c.pieces) % embeddings.c.dimensions == 0,
            is_in(embeddings, bindparam("namespace_id")),
        )
    )


async def count_by_model(tx: Transaction) -> dict[str, int]:
    """How many passages have vectors, by model."""
    counted = select(embeddings.c.model, func.count()).group_by(embeddings.c.model)
    return {row[0]: row[1] for row in await tx.execute(counted)}


async def count_passages(tx: Transaction) -> int:
    """How many passages there are, of everybody."""
    return await tx.scalar(select(func.count()).select_from(passages)) or 0


async def newest_embedding_id(tx: Transaction) -> int:
    """The highest id of any row of vectors; 0 without one."""
    return await tx.scalar(select(func.max(embeddings.c.id))) or 0


async def remove_other_models(tx: Transaction, model: str, after_id: int, upto_id: int) -> int:
    """Remove vectors of every model but this one, among rows with ids in (after_id, upto_id]; returns how many."""
    others = (embeddings.c.id > after_id) & (embeddings.c.id <= upto_id) & (embeddings.c.model != model)
    return (await tx.execute(delete(embeddings).where(others))).rowcount
