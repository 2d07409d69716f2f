"""The small differences between SQLite and PostgreSQL, as SQL fragments; nothing else may ask which one it is."""

from __future__ import annotations

from typing import Any, Protocol

from sqlalchemy import BigInteger, ColumnElement, Executable, Table, cast, func, literal_column, text
from sqlalchemy.dialects import postgresql, sqlite

from beaver.db.fulltext import FORGET_DELETED_SQLITE, Hits, TextQuery, postgresql_hits, sqlite_hits


class SqlDialect(Protocol):
    """What a store may need to be told about its database. Pure: builds expressions, touches nothing."""

    name: str

    def now_ms(self) -> ColumnElement[int]:
        """The database's own clock, as UTC epoch milliseconds: the same for every host."""

    def insert(self, table: Table) -> Any:
        """An INSERT that knows `on_conflict_do_nothing` and `on_conflict_do_update`."""

    def transcript_hits(self, query: TextQuery) -> Hits:
        """A SELECT of the events of the session database that a text query finds; hidden ones must be filtered yet."""

    def forget_deleted_text(self) -> tuple[Executable, ...]:
        """Statements that take the last traces of deleted events out of the search index."""


class SqliteDialect:
    """SQLite 3.35 and newer (RETURNING, UPSERT)."""

    name = "sqlite"

    def now_ms(self) -> ColumnElement[int]:
        """Milliseconds from julianday: `unixepoch('subsec')` needs a newer SQLite than many Pythons bring."""
        return literal_column("CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)", BigInteger)

    def insert(self, table: Table) -> sqlite.Insert:
        """SQLite's INSERT."""
        return sqlite.insert(table)

    def transcript_hits(self, query: TextQuery) -> Hits:
        """FTS5."""
        return sqlite_hits(query)

    def forget_deleted_text(self) -> tuple[Executable, ...]:
        """Merge both indexes."""
        return tuple(text(statement) for statement in FORGET_DELETED_SQLITE)


class PostgresDialect:
    """PostgreSQL 14 and newer."""

    name = "postgresql"

    def now_ms(self) -> ColumnElement[int]:
        """clock_timestamp(), since now() stands still inside a transaction."""
        return cast(func.extract("epoch", func.clock_timestamp()) * 1000, BigInteger)

    def insert(self, table: Table) -> postgresql.Insert:
        """PostgreSQL's INSERT."""
        return postgresql.insert(table)

    def transcript_hits(self, query: TextQuery) -> Hits:
        """A generated tsvector and ILIKE."""
        return postgresql_hits(query)

    def forget_deleted_text(self) -> tuple[Executable, ...]:
        """None: the index lives with its rows, and vacuum cleans both."""
        return ()
