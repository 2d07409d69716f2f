"""aiosqlite for SQLAlchemy with one trip to the connection's thread per statement, where the stock adapter makes four.

The trips (open a cursor, execute, fetch, close it) were most of what a short transaction cost. Where none was begun, none is
rolled back either; and a SELECT outside of any waits here for a busy file, which within one its beginning does.
"""

from __future__ import annotations

import random
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.dialects.sqlite.aiosqlite import (
    AsyncAdapt_aiosqlite_connection,
    AsyncAdapt_aiosqlite_cursor,
    AsyncAdapt_aiosqlite_dbapi,
    SQLiteDialect_aiosqlite,
)

from beaver.db.dialect import BEGIN_READING
from beaver.db.faults import is_busy_fault

BUSY_BUDGET_S: Final = 10.0


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
            await self._run(execute, operation, () if parameters is None else parameters)

    async def _executemany_async(self, operation: Any, seq_of_parameters: Any) -> Any:
        async with self._adapt_connection._execute_mutex:
            await self._run(_execute_many, operation, seq_of_parameters)

    async def _run(self, work: Any, operation: str, parameters: Any) -> None:
        connection: Any = self._connection
        adapted: Any = self._adapt_connection
        adapted.begun |= operation.startswith("BEGIN")
        # `_conn` raises where the connection is closed, as aiosqlite's own methods do.
        self._cursor, rows = await connection._execute(work, connection._conn, operation, parameters)
        self._rows = deque(rows)


class _Connection(AsyncAdapt_aiosqlite_connection):
    __slots__ = ("begun",)

    _cursor_cls = _Cursor

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.begun = False
        """Whether a transaction was sent for, be it that nobody waited for it."""

    def rollback(self) -> None:
        """The end of what was begun."""
        if self.begun:
            super().rollback()
            self.begun = False

    def commit(self) -> None:
        """The end of what was begun, for good."""
        super().commit()
        self.begun = False


class _Driver(AsyncAdapt_aiosqlite_dbapi):
    def connect(self, *arguments: Any, **named: Any) -> _Connection:
        """As the stock adapter, with our cursors."""
        return _Connection(self, super().connect(*arguments, **named)._connection)


def execute(
    connection: sqlite3.Connection, operation: str, parameters: Sequence[Any]
) -> tuple[_Outcome, Sequence[Any]]:
    """A statement with what it gives, in the thread that is the connection's."""
    cursor = connection.cursor()
    try:
        _when_free(connection, operation, lambda: cursor.execute(operation, parameters))
        if operation == BEGIN_READING:
            # It takes no snapshot before the first look, which may find the file busy: look in the same trip.
            cursor.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        rows = cursor.fetchall() if cursor.description else ()
        return _Outcome(cursor.description, cursor.rowcount, cursor.lastrowid), rows
    finally:
        cursor.close()


def _when_free(connection: sqlite3.Connection, operation: str, execute: Callable[[], object]) -> None:
    alone = operation.startswith("SELECT") and not connection.in_transaction
    give_up = time.monotonic() + BUSY_BUDGET_S
    while True:
        try:
            execute()
            return
        except sqlite3.OperationalError as error:
            if not alone or not is_busy_fault(error) or time.monotonic() >= give_up:
                raise
        time.sleep(random.uniform(0.005, 0.05))  # noqa: S311 - jitter, not a secret


def _execute_many(
    connection: sqlite3.Connection, operation: str, parameters: Sequence[Sequence[Any]]
) -> tuple[_Outcome, Sequence[Any]]:
    cursor = connection.cursor()
    try:
        cursor.executemany(operation, parameters)
        return _Outcome(cursor.description, cursor.rowcount, cursor.lastrowid), ()
    finally:
        cursor.close()
