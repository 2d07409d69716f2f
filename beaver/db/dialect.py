"""The small differences between SQLite and PostgreSQL, as SQL fragments; nothing else may ask which one it is."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, Final, Protocol

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Executable,
    Table,
    Text,
    any_,
    bindparam,
    cast,
    func,
    literal_column,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from beaver.db.fulltext import FORGET_DELETED_SQLITE, Hits, TextQuery, postgresql_hits, sqlite_hits

BEGIN: Final = "beaver_begin"
"""The execution option by which SQLite's connections are told how a transaction begins; None: without any."""
BEGIN_READING: Final = "BEGIN"
"""How a transaction begins that only reads: all that it sees is as it stood at its first look."""


class SqlDialect(Protocol):
    """What a store may need to be told about its database. Pure: builds expressions, touches nothing.

    There is one of each kind, and it is hashable: a store may keep a statement by it.
    """

    name: str

    def __hash__(self) -> int: ...

    def beginning(self, how: str | None) -> dict[str, Any]:
        """Execution options of a connection whose transaction begins so; with None each statement stands for itself."""

    def now_ms(self) -> ColumnElement[int]:
        """The database's own clock, as UTC epoch milliseconds: the same for every host."""

    def begun_ms(self) -> ColumnElement[int]:
        """That clock when the statement began: what lies before or after is found by an index, and not row by row."""

    def insert(self, table: Table) -> Any:
        """An INSERT that knows `on_conflict_do_nothing` and `on_conflict_do_update`."""

    def is_one_of(self, column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
        """Whether the column is among the parameter `name`, which `many` makes: the same statement for any number."""

    def many(self, values: Collection[str] | Collection[int]) -> Any:
        """The parameter that `is_one_of` takes."""

    def transcript_hits(self, query: TextQuery) -> Hits:
        """A SELECT of the events of the session database that a text query finds; hidden ones must be filtered yet."""

    def forget_deleted_text(self) -> tuple[Executable, ...]:
        """Statements that take the last traces of deleted events out of the search index."""


class SqliteDialect:
    """SQLite 3.35 and newer (RETURNING, UPSERT)."""

    name = "sqlite"

    def beginning(self, how: str | None) -> dict[str, Any]:
        """What SQLite is told."""
        return {BEGIN: how}

    def now_ms(self) -> ColumnElement[int]:
        """Milliseconds from julianday: `unixepoch('subsec')` needs a newer SQLite than many Pythons bring."""
        return literal_column("CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)", BigInteger)

    def begun_ms(self) -> ColumnElement[int]:
        """SQLite's clock stands still within a statement."""
        return self.now_ms()

    def insert(self, table: Table) -> sqlite.Insert:
        """SQLite's INSERT."""
        return sqlite.insert(table)

    def is_one_of(self, column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
        """A JSON array's members."""
        members = func.json_each(bindparam(name, type_=Text)).table_valued("value")
        return column.in_(select(members.c.value))

    def many(self, values: Collection[str] | Collection[int]) -> str:
        """A JSON array."""
        return json.dumps(list(values))

    def transcript_hits(self, query: TextQuery) -> Hits:
        """FTS5."""
        return sqlite_hits(query)

    def forget_deleted_text(self) -> tuple[Executable, ...]:
        """Merge both indexes."""
        return tuple(text(statement) for statement in FORGET_DELETED_SQLITE)


class PostgresDialect:
    """PostgreSQL 14 and newer."""

    name = "postgresql"

    def beginning(self, how: str | None) -> dict[str, Any]:
        """What is only read is read as it stood at the first look, as SQLite does it by itself."""
        if how is None:
            return {"isolation_level": "AUTOCOMMIT"}
        return {"isolation_level": "REPEATABLE READ"} if how == BEGIN_READING else {}

    def now_ms(self) -> ColumnElement[int]:
        """clock_timestamp(), since now() stands still inside a transaction."""
        return _epoch_ms(func.clock_timestamp())

    def begun_ms(self) -> ColumnElement[int]:
        """statement_timestamp(), which stands still while a table is gone through."""
        return _epoch_ms(func.statement_timestamp())

    def insert(self, table: Table) -> postgresql.Insert:
        """PostgreSQL's INSERT."""
        return postgresql.insert(table)

    def is_one_of(self, column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
        """An array's members."""
        return column == any_(bindparam(name, type_=postgresql.ARRAY(column.type)))

    def many(self, values: Collection[str] | Collection[int]) -> list[str] | list[int]:
        """An array."""
        return list(values)  # type: ignore[return-value]

    def transcript_hits(self, query: TextQuery) -> Hits:
        """A generated tsvector and ILIKE."""
        return postgresql_hits(query)

    def forget_deleted_text(self) -> tuple[Executable, ...]:
        """None: the index lives with its rows, and vacuum cleans both."""
        return ()


SQLITE: Final = SqliteDialect()
POSTGRESQL: Final = PostgresDialect()
_DIALECTS: Final[dict[str, SqlDialect]] = {dialect.name: dialect for dialect in (SQLITE, POSTGRESQL)}


def dialect_of(connection: AsyncConnection) -> SqlDialect:
    """The dialect of a transaction's database, for stores that are plain functions."""
    return _DIALECTS[connection.dialect.name]


def _epoch_ms(moment: ColumnElement[Any]) -> ColumnElement[int]:
    return cast(func.extract("epoch", moment) * 1000, BigInteger)
