"""aiosqlite for SQLAlchemy with one trip to the connection's thread per statement, where the stock adapter makes four.

The trips (open a cursor, execute, fetch, close it) were most of what a short transaction cost.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.dialects.sqlite.aiosqlite import (
    AsyncAdapt_aiosqlite_connection,
    AsyncAdapt_aiosqlite_cursor,
    AsyncAdapt_aiosqlite_dbapi,
    SQLiteDialect_aiosqlite,
)

BEGIN_READING: Final = "BEGIN"
"""How a transaction begins that only reads: with the snapshot that it sees."""


def one_trip_driver() -> Any:
    """What `create_async_engine` takes as its `module`."""
    stock = SQLiteDialect_aiosqlite.import_dbapi()
    return _Driver(stock.aiosqlite, stock.sqlite)


@dataclass(frozen=True)
class _Outcome:
    """A cursor's attributes, once the cursor itself is closed."""

    description: Any = None
    rowcount: int = -1
    lastrowid: int | None = None
    arraysize: int = 1

    def close(self) -> None:
        """Nothing is open."""


class _Cursor(AsyncAdapt_aiosqlite_cursor):
    __slots__ = ()

    # The rows are here and the real cursor is closed by the time that SQLAlchemy sees this one.
    _awaitable_cursor_close = False

    def _aenter_cursor(self, cursor: Any) -> Any:
        return cursor

    def _make_new_cursor(self, _connection: Any) -> Any:
        return _Outcome()

    async def _execute_async(self, operation: Any, parameters: Any) -> Any:
        async with self._adapt_connection._execute_mutex:
            await self._run(_execute, operation, () if parameters is None else parameters)

    async def _executemany_async(self, operation: Any, seq_of_parameters: Any) -> Any:
        async with self._adapt_connection._execute_mutex:
            await self._run(_execute_many, operation, seq_of_parameters)

    async def _run(self, work: Any, operation: str, parameters: Any) -> None:
        connection: Any = self._connection
        # `_conn` raises where the connection is closed, as aiosqlite's own methods do.
        self._cursor, rows = await connection._execute(work, connection._conn, operation, parameters)
        self._rows = deque(rows)


class _Connection(AsyncAdapt_aiosqlite_connection):
    __slots__ = ()

    _cursor_cls = _Cursor


class _Driver(AsyncAdapt_aiosqlite_dbapi):
    def connect(self, *arguments: Any, **named: Any) -> _Connection:
        """As the stock adapter, with our cursors."""
        return _Connection(self, super().connect(*arguments, **named)._connection)


def _execute(
    connection: sqlite3.Connection, operation: str, parameters: Sequence[Any]
) -> tuple[_Outcome, Sequence[Any]]:
    cursor = connection.cursor()
    try:
        cursor.execute(operation, parameters)
        if operation == BEGIN_READING:
            # It takes no snapshot before the first look, which may find the file busy: look in the same trip.
            cursor.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        rows = cursor.fetchall() if cursor.description else ()
        return _Outcome(cursor.description, cursor.rowcount, cursor.lastrowid), rows
    finally:
        cursor.close()


def _execute_many(
    connection: sqlite3.Connection, operation: str, parameters: Sequence[Sequence[Any]]
) -> tuple[_Outcome, Sequence[Any]]:
    cursor = connection.cursor()
    try:
        cursor.executemany(operation, parameters)
        return _Outcome(cursor.description, cursor.rowcount, cursor.lastrowid), ()
    finally:
        cursor.close()
