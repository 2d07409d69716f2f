"""One door to a database: short read and write transactions over SQLite or PostgreSQL.

On SQLite a write begins with BEGIN IMMEDIATE, so that it never fails half way on an upgrade of its lock;
a busy database is waited for with jitter within a budget. Parameters never reach an error or a log.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import event
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from beaver.db.dialect import PostgresDialect, SqlDialect, SqliteDialect
from beaver.errors import ConfigError, Unavailable

Transaction = AsyncConnection
"""A connection inside an open transaction: stores take it as their first argument, services open it."""

_SQLITE_PRAGMAS: Final = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA busy_timeout=100",
    "PRAGMA secure_delete=ON",
)
_BEGIN: Final = "beaver_begin"


class Database:
    """Owns the connections to one database. Open with `Database.open(url)`, close with `close()`."""

    def __init__(self, engine: AsyncEngine, dialect: SqlDialect, busy_budget_s: float) -> None:
        self.engine = engine
        self.dialect = dialect
        self._busy_budget_s = busy_budget_s
        self._one_writer = asyncio.Lock() if isinstance(dialect, SqliteDialect) else None

    @classmethod
    def open(cls, url: str, *, busy_budget_s: float = 10.0, pool_size: int = 5) -> Database:
        """Prepare connections to `sqlite:///absolute/path` or `postgresql://…`; nothing is connected yet."""
        if url.startswith("sqlite:///"):
            path = Path(url.removeprefix("sqlite:///"))
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            engine = create_async_engine(f"sqlite+aiosqlite:///{path}", hide_parameters=True, pool_size=pool_size)
            _prepare_sqlite(engine)
            return cls(engine, SqliteDialect(), busy_budget_s)
        if url.startswith(("postgresql://", "postgres://")):
            engine = create_async_engine(
                "postgresql+asyncpg://" + url.split("://", 1)[1],
                hide_parameters=True,
                pool_size=pool_size,
                pool_timeout=busy_budget_s,
                pool_pre_ping=True,
                connect_args={"timeout": 5, "command_timeout": 30},
            )
            return cls(engine, PostgresDialect(), busy_budget_s)
        raise ConfigError("databaseUrl", "must be a sqlite:/// or postgresql:// URL")

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        """A transaction for reading: one snapshot on SQLite. Raises Unavailable when the database cannot serve."""
        with _translated():
            async with self.engine.connect() as connection:
                yield connection
                await connection.rollback()

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        """A transaction for writing: committed at the end, rolled back on any exception.

        Raises Unavailable when the database cannot serve; the body's own exceptions pass through.
        """
        with _translated():
            if self._one_writer is None:
                async with self.engine.begin() as connection:
                    yield connection
                return
            async with self._one_writer, self.engine.connect() as connection:
                await self._begin_immediate(connection)
                yield connection
                await connection.commit()

    async def close(self) -> None:
        """Close every connection."""
        await self.engine.dispose()

    async def _begin_immediate(self, connection: AsyncConnection) -> None:
        await connection.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
        give_up = time.monotonic() + self._busy_budget_s
        while True:
            try:
                await connection.begin()
                return
            except OperationalError as error:
                if not _is_busy(error) or time.monotonic() >= give_up:
                    raise
                await connection.rollback()
                await asyncio.sleep(random.uniform(0.005, 0.05))  # noqa: S311 - jitter, not a secret


class _translated:  # noqa: N801 - reads as a statement
    """Turns the driver's faults into Unavailable, without the statement or its parameters."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: Any, error: BaseException | None, _trace: Any) -> None:
        match error:
            case OperationalError() if _is_busy(error):
                raise Unavailable("the database stayed locked") from None
            case DBAPIError() if not _is_bug(error):
                raise Unavailable(f"the database cannot serve ({type(error.orig).__name__})") from None
            case OSError() | TimeoutError():
                raise Unavailable(f"the database cannot be reached ({type(error).__name__})") from None


def _is_busy(error: OperationalError) -> bool:
    return "locked" in str(error.orig) or "busy" in str(error.orig)


def _is_bug(error: DBAPIError) -> bool:
    return type(error).__name__ in {"IntegrityError", "ProgrammingError", "DataError"}


def _prepare_sqlite(engine: AsyncEngine) -> None:
    @event.listens_for(engine.sync_engine, "connect")
    def _(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in _SQLITE_PRAGMAS:
            cursor.execute(pragma)
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def _(connection: Any) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))
