"""One door to a database: short read and write transactions over SQLite or PostgreSQL.

On SQLite a write begins with BEGIN IMMEDIATE, so that it never fails half way on an upgrade of its lock;
a busy database is waited for with jitter within a budget. Parameters never reach an error or a log.
"""

from __future__ import annotations

import asyncio
import random
import ssl
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import certifi
from sqlalchemy import URL, event, make_url
from sqlalchemy.exc import ArgumentError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from beaver.config.postgres_url import SYSTEM_AUTHORITIES, UNKNOWN_TO_THE_DRIVER, broken_rule
from beaver.db.completion import to_its_end
from beaver.db.dialect import BEGIN, BEGIN_READING, POSTGRESQL, SQLITE, SqlDialect
from beaver.db.faults import (
    is_busy,
    keep_values_out_of_errors,
    leave_servers_without_writes,
    speaking_to_the_database,
    translated,
)
from beaver.db.liveness import refuse_dead_connections
from beaver.db.sqlite_driver import one_trip_driver
from beaver.db.sqlite_file import refuse_lost_file
from beaver.errors import ConfigError

Transaction = AsyncConnection
"""A connection inside an open transaction: stores take it as their first argument, services open it."""

_SQLITE_PRAGMAS: Final = (
    "PRAGMA busy_timeout=100",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA secure_delete=ON",
)
GIVEN_WAY_S: Final = 0.03
"""SQLite's own waiting looks at a busy lock every 25 ms at least."""
IDLE_IN_TRANSACTION_MS: Final = 5_000
"""How long PostgreSQL waits for our next statement inside a transaction before it ends it. Ours never wait for anything."""


# What SQLAlchemy itself reads of a query, among them a list of hosts.
_ADDRESS_IN_QUERY: Final = frozenset({"host", "port"})


class Database:
    """Owns the connections to one database. Open with `Database.open(url)`; `close()` when nothing uses it any more."""

    def __init__(self, engine: AsyncEngine, dialect: SqlDialect, busy_budget_s: float) -> None:
        self.engine = engine
        self.dialect = dialect
        self._busy_budget_s = busy_budget_s
        # SQLite lets one connection write: our own tasks stand in line for it, in order, without polling.
        self._turn_to_write: AbstractAsyncContextManager[None] = asyncio.Lock() if dialect is SQLITE else nullcontext()
        keep_values_out_of_errors(engine.sync_engine)
        leave_servers_without_writes(engine.sync_engine)

    @classmethod
    def open(cls, url: str, *, busy_budget_s: float = 10.0, pool_size: int = 5) -> Database:
        """Prepare connections to `sqlite:///absolute/path` or `postgresql://…`; nothing is connected yet.

        `busy_budget_s` bounds the wait for another process's lock, and for a free connection. A new SQLite file is
        readable by its owner alone. Raises ConfigError for a URL that cannot be read, Unavailable for a folder that
        cannot be used.
        """
        # The last that was used has what is asked for prepared and at hand; by turns, each would have to learn it.
        taken = {"pool_use_lifo": True, "pool_timeout": busy_budget_s}
        pool = {"pool_size": pool_size, **taken, "hide_parameters": True}
        if url.startswith("sqlite:///"):
            path = Path(url.removeprefix("sqlite:///"))
            _create_private_file(path)
            address = URL.create("sqlite+aiosqlite", database=str(path))
            engine = create_async_engine(address, module=one_trip_driver(), **pool)
            _prepare_sqlite(engine)
            refuse_lost_file(engine.sync_engine, path)
            return cls(engine, SQLITE, busy_budget_s)
        if url.startswith(("postgresql://", "postgres://")):
            address, arguments = _postgres_address(url)
            engine = create_async_engine(address, connect_args=arguments, **pool)
            refuse_dead_connections(engine.sync_engine)
            return cls(engine, POSTGRESQL, busy_budget_s)
        raise ConfigError("databaseUrl", "must be a sqlite:/// or postgresql:// URL")

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        """A transaction for reading, never committed: all that it sees is as it stood at its first look.

        Raises Unavailable when the database cannot serve; the body's own exceptions pass through.
        """
        with translated():
            async with self._begun(BEGIN_READING) as connection:
                yield connection

    @asynccontextmanager
    async def read_apart(self) -> AsyncIterator[Transaction]:
        """For a SELECT, or for several of which each may see a state of its own: one trip each, without a transaction's two.
        Not for what writes, which would be kept. Raises Unavailable as `read` does.
        """
        with translated():
            async with self._begun(None) as connection:
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        """A transaction for writing: committed at the end, rolled back on any exception and on cancellation.

        A cancellation that arrives during the commit waits for it, so that nothing is left half said. Raises
        Unavailable when the database cannot serve; the body's own exceptions pass through.
        """
        with translated():
            async with self._turn_to_write, self._begun("BEGIN IMMEDIATE") as connection:
                yield connection
                with speaking_to_the_database():
                    await to_its_end(connection.commit())

    async def give_way(self) -> None:
        """To be called between the transactions of a long row: SQLite's lock has no queue, and who waits in another process
        looks for it now and then only. Nothing to do on PostgreSQL.
        """
        if self.dialect is SQLITE:
            await asyncio.sleep(GIVEN_WAY_S)

    async def empty_log(self) -> bool:
        """Move what SQLite's write-ahead log holds into the file, and cut the log to nothing: what was deleted is not in it then.

        False when somebody reads from the log for longer than the busy budget. Nothing to do on PostgreSQL.
        """
        if self.dialect is not SQLITE:
            return True
        give_up = time.monotonic() + self._busy_budget_s
        with translated():
            while await self._log_is_in_use():
                if time.monotonic() >= give_up:
                    return False
                await asyncio.sleep(random.uniform(0.005, 0.05))  # noqa: S311 - jitter, not a secret
        return True

    async def _log_is_in_use(self) -> bool:
        async with self._turn_to_write, self.engine.connect() as connection:
            # Not through SQLAlchemy, which would begin a transaction: a checkpoint runs outside of any.
            driver: Any = (await connection.get_raw_connection()).driver_connection
            cursor = await driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            busy, *_ = await cursor.fetchone()
            await cursor.close()
            return bool(busy)

    async def vacuum(self, table: str) -> None:
        """Have PostgreSQL clear a table, and its indexes, of rows that are deleted, now. Nothing to do on SQLite.

        Raises Unavailable when it takes longer than a statement may.
        """
        if self.dialect is SQLITE:
            return
        with translated():
            async with self.engine.connect() as connection:
                await connection.execution_options(isolation_level="AUTOCOMMIT")
                await connection.exec_driver_sql(f'VACUUM "{table}"')

    async def close(self) -> None:
        """Close every connection, and with SQLite end their threads."""
        await self.engine.dispose()

    @asynccontextmanager
    async def _begun(self, how: str | None) -> AsyncIterator[AsyncConnection]:
        """A connection, in a transaction that begins so; given back, rolled back unless committed, whatever happens."""
        async with AsyncExitStack() as opened:
            with speaking_to_the_database():
                connection = await self._begin(opened, how)
            yield connection

    async def _begin(self, opened: AsyncExitStack, how: str | None) -> AsyncConnection:
        give_up = time.monotonic() + self._busy_budget_s
        while True:
            try:
                # Connecting may be refused as busy too: the first to come switches the file to WAL.
                connection = await opened.enter_async_context(self.engine.connect())
                await connection.execution_options(**self.dialect.beginning(how))
                await connection.begin()
                return connection
            except OperationalError as error:
                if not is_busy(error) or time.monotonic() >= give_up:
                    raise
            await opened.aclose()
            await asyncio.sleep(random.uniform(0.005, 0.05))  # noqa: S311 - jitter, not a secret


def _create_private_file(path: Path) -> None:
    with speaking_to_the_database():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)


def _postgres_address(url: str) -> tuple[URL, dict[str, Any]]:
    """The URL for asyncpg, and its arguments. What libpq calls otherwise than asyncpg's arguments goes to it as a DSN's query."""
    rule = broken_rule(url)
    if rule is not None:
        raise ConfigError("databaseUrl", rule)
    try:
        address = make_url("postgresql+asyncpg://" + url.split("://", 1)[1])
    except (ArgumentError, ValueError):
        raise ConfigError("databaseUrl", "cannot be read as a URL") from None
    # A process that is stopped in the middle of a transaction (a paused machine, SIGSTOP) must not hold its locks for ever.
    # What is committed is on the disk, whatever the server's own default: an `adding` that a crash forgets is sent again.
    server = {"idle_in_transaction_session_timeout": str(IDLE_IN_TRANSACTION_MS), "synchronous_commit": "on"}
    arguments: dict[str, Any] = {"timeout": 5, "command_timeout": 30, "server_settings": server}
    further = {name: value for name, value in address.query.items() if name not in _ADDRESS_IN_QUERY}
    address = address.difference_update_query(further)
    if "connect_timeout" in further:
        arguments["timeout"] = int(_last(further.pop("connect_timeout")))
    if _last(further.get("sslrootcert", "")) == SYSTEM_AUTHORITIES:
        further["sslrootcert"] = _system_authorities()
    driven = {name: value for name, value in further.items() if name not in UNKNOWN_TO_THE_DRIVER}
    if driven:
        arguments["dsn"] = f"postgresql://?{urlencode(driven, doseq=True)}"
    return address, arguments


def _last(value: str | Sequence[str]) -> str:
    """Of a parameter that is given several times the last one counts."""
    return value if isinstance(value, str) else value[-1]


def _system_authorities() -> str:
    """The file of the authorities that this machine trusts; where it has none in one file, those that our HTTPS trusts."""
    return ssl.get_default_verify_paths().cafile or certifi.where()


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
        how = connection.get_execution_options().get(BEGIN, BEGIN_READING)
        if how is not None:
            connection.exec_driver_sql(how)
