"""The small differences between SQLite and PostgreSQL, as SQL fragments; nothing else may ask which one it is."""

from __future__ import annotations

from typing import Any, Protocol

from sqlalchemy import BigInteger, ColumnElement, Table, cast, func, literal_column
from sqlalchemy.dialects import postgresql, sqlite


class SqlDialect(Protocol):
    """What a store may need to be told about its database. Pure: builds expressions, touches nothing."""

    name: str

    def now_ms(self) -> ColumnElement[int]:
        """The database's own clock, as UTC epoch milliseconds: the same for every host."""

    def insert(self, table: Table) -> Any:
        """An INSERT that knows `on_conflict_do_nothing` and `on_conflict_do_update`."""


class SqliteDialect:
    """SQLite 3.35 and newer (RETURNING, UPSERT)."""

    name = "sqlite"

    def now_ms(self) -> ColumnElement[int]:
        """Milliseconds from julianday: `unixepoch('subsec')` needs a newer SQLite than many Pythons bring."""
        return literal_column("CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)", BigInteger)

    def insert(self, table: Table) -> sqlite.Insert:
        """SQLite's INSERT."""
        return sqlite.insert(table)


class PostgresDialect:
    """PostgreSQL 14 and newer."""

    name = "postgresql"

    def now_ms(self) -> ColumnElement[int]:
        """clock_timestamp(), since now() stands still inside a transaction."""
        return cast(func.extract("epoch", func.clock_timestamp()) * 1000, BigInteger)

    def insert(self, table: Table) -> postgresql.Insert:
        """PostgreSQL's INSERT."""
        return postgresql.insert(table)
