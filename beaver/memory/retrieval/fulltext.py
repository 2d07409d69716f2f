"""The full-text index's SQL: words of passages beside their filter tokens, asked with one expression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import column, func, select, table, text
from sqlalchemy.sql import literal_column

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.memory.retrieval import fulltext_postgresql
from beaver.memory.retrieval.ranking import MARK_CLOSE, MARK_OPEN, Candidate
from beaver.memory.tables import FULLTEXT_TABLE, passages

_INDEX: Final = table(FULLTEXT_TABLE, column("rowid"), column("text"), column("scope"))


@dataclass(frozen=True)
class IndexRow:
    """What the index holds of a passage: `words` from words.index_text, `scope` from query.scope_tokens."""

    passage_id: int
    words: str
    scope: str


async def insert_rows(tx: Transaction, rows: Sequence[IndexRow]) -> None:
    """Make passages findable, in the transaction that stores them."""
    if not rows:
        return
    new = [{"rowid": row.passage_id, "text": row.words, "scope": row.scope} for row in rows]
    if _is_postgresql(tx):
        await fulltext_postgresql.insert_rows(tx, new)
    else:
        await tx.execute(_INDEX.insert(), new)


async def delete_rows(tx: Transaction, passage_ids: Sequence[int]) -> None:
    """Take passages out of the index, in the transaction that removes them."""
    if not passage_ids:
        return
    if _is_postgresql(tx):
        await fulltext_postgresql.delete_rows(tx, passage_ids)
    else:
        statement = text(f"DELETE FROM {FULLTEXT_TABLE} WHERE rowid = :passage_id")  # noqa: S608 - a constant name
        await tx.execute(statement, [{"passage_id": passage_id} for passage_id in passage_ids])


@dataclass(frozen=True)
class Newest:
    """What is asked: the newest `limit` passages with ids up to `upto_id` for an expression of query.match_expression, which
    so many are `expected` to hold.
    """

    expression: str
    upto_id: int
    limit: int
    expected: float


async def match_rows(tx: Transaction, namespace_id: int, newest: Newest) -> list[Candidate]:
    """The passages that are asked for, in any order.

    Not the index's best: its BM25 counts all that its filter tokens stand in, which takes the longer the more there is. The
    expression filters by namespace before the limit; the join checks the namespace once more.
    """
    if _is_postgresql(tx):
        found = await fulltext_postgresql.match_rows(tx, namespace_id, **vars(newest))
        return [Candidate(*row) for row in found]
    marked = func.highlight(literal_column(FULLTEXT_TABLE), 0, MARK_OPEN, MARK_CLOSE).label("marked")
    best = (
        select(_INDEX.c.rowid.label("passage_id"), marked)
        .where(text(f"{FULLTEXT_TABLE} MATCH :expression").bindparams(expression=newest.expression))
        .where(_INDEX.c.rowid <= newest.upto_id)
        .order_by(_INDEX.c.rowid.desc())
        .limit(newest.limit)
        .subquery()
    )
    statement = (
        select(passages.c.id, passages.c.message_id, passages.c.observed_ms, best.c.marked)
        .join(best, best.c.passage_id == passages.c.id)
        .where(passages.c.namespace_id == namespace_id)
    )
    return [
        Candidate(passage_id, message_id, observed_ms, marked)
        for passage_id, message_id, observed_ms, marked in await tx.execute(statement)
    ]


def _is_postgresql(tx: Transaction) -> bool:
    return dialect_of(tx).name == "postgresql"
