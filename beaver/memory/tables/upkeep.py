"""What maintenance remembers between its runs."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Table, Text
from sqlalchemy.types import JSON

from beaver.memory.tables.base import metadata

# One row a kind of upkeep: who runs it now and until when (one runner at a time), and where it goes on.
upkeep = Table(
    "upkeep",
    metadata,
    Column("name", Text, primary_key=True),
    Column("holder", Text),
    Column("held_until_ms", BigInteger),
    Column("progress", JSON, nullable=False),
    Column("ran_ms", BigInteger),
)
