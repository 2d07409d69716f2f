"""SQL that removes all of a namespace, some rows a transaction, so that nobody waits for long."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Table, delete, select

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.memory.retrieval.store import remove_passages
from beaver.memory.tables import (
    conversations,
    documents,
    messages,
    observation_archive,
    observation_history,
    observations,
    passages,
    people,
    session_summaries,
    tombstones,
    turns,
)

COST_MAX: Final = 2_000
"""What one call removes, in rows of the cheap kinds."""
# What is searched first, while its words can still be told; then what others hang on last. An observation has its labels, a
# document up to ten million characters.
_COSTS: Final[dict[Table, int]] = {
    passages: 1,
    messages: 1,
    turns: 1,
    session_summaries: 1,
    observations: 10,
    observation_history: 1,
    observation_archive: 1,
    documents: 200,
    conversations: 1,
    people: 1,
    tombstones: 1,
}


async def remove_some(tx: Transaction, namespace_id: int) -> bool:
    """Remove the namespace's next rows; False when none is left. The transaction has the namespace's turn to write."""
    left = COST_MAX
    for table, cost in _COSTS.items():
        most = max(1, left // cost)
        removed = await _remove(tx, table, namespace_id, most)
        if removed == most:
            return True
        left -= removed * cost
    return False


async def _remove(tx: Transaction, table: Table, namespace_id: int, most: int) -> int:
    mine = table.c.namespace_id == namespace_id
    [key] = [column for column in table.primary_key if column.name != "namespace_id"]
    some = (await tx.scalars(select(key).where(mine).limit(most))).all()
    if table is passages:
        await remove_passages(tx, passages.c.id.in_(some))
    else:
        dialect = dialect_of(tx)
        await tx.execute(delete(table).where(mine, dialect.is_one_of(key, "keys")), {"keys": dialect.many(some)})
    return len(some)
