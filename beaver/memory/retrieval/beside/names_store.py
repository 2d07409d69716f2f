"""SQL of the people who have more than one name: few, found by an index of their own."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlalchemy import bindparam, select, text

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.memory.tables import people

# Made once: to build a statement costs as much as to run it. What is said of the aliases stands there as the index has it.
_SEVERAL: Final = {
    name: select(people.c.name, people.c.aliases, people.c.store)
    .where(people.c.namespace_id == bindparam("namespace"), text(more))
    .order_by(people.c.id)
    for name, more in (("sqlite", "aliases <> '[]'"), ("postgresql", "json_array_length(aliases) > 0"))
}


async def several_names(
    tx: Transaction, namespace_id: int, stores: Collection[str] | None = None
) -> list[tuple[str, ...]]:
    """All names of each person of these stores, or of any, who has more than one."""
    named = await tx.execute(_SEVERAL[dialect_of(tx).name], {"namespace": namespace_id})
    return [(row.name, *row.aliases) for row in named if stores is None or row.store in stores]
