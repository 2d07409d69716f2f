"""SQL of the people who have more than one name."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Text, cast, func, select, true

from beaver.db.engine import Transaction
from beaver.memory.tables import people


async def several_names(
    tx: Transaction, namespace_id: int, stores: Collection[str] | None = None
) -> list[tuple[str, ...]]:
    """All names of each person of these stores, or of any, who has more than one."""
    have_more = func.length(cast(people.c.aliases, Text)) > len("[]")
    mine = true() if stores is None else people.c.store.in_(stores)
    named = select(people.c.name, people.c.aliases).where(people.c.namespace_id == namespace_id, mine, have_more)
    return [(name, *aliases) for name, aliases in await tx.execute(named)]
