"""How much the memory holds, in numbers alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from beaver.db.engine import Database
from beaver.memory.upkeep import figures_store


@dataclass(frozen=True)
class Figures:
    """Rows of each kind, passages in the full-text index, passages without any vector yet, the database's size, and who has the
    most passages."""

    counts: Mapping[str, int]
    indexed: int
    without_vectors: int
    database_bytes: int
    largest_users: Sequence[tuple[str, int]]


async def read_figures(database: Database) -> Figures:
    """The figures of this moment."""
    async with database.read() as tx:
        return Figures(
            counts=await figures_store.count_kinds(tx),
            indexed=await figures_store.count_indexed(tx),
            without_vectors=await figures_store.count_without_vectors(tx),
            database_bytes=await figures_store.database_bytes(tx),
            largest_users=await figures_store.largest_users(tx, limit=10),
        )
