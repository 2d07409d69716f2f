"""The door to the database: what commits, what rolls back, what waits, and which errors come out of it."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from beaver.config.postgres_url import broken_rule
from beaver.db.dialect import POSTGRESQL
from beaver.db.engine import Database, Transaction
from beaver.db.tables import sessions
from beaver.errors import ConfigError, Unavailable
from tests.support.postgres import PostgresServer
from tests.support.waiting import wait_until
from tests.unit.db.rows import a_row, row_ids, write_row

SECRET = "the words of a person"


async def test_a_write_is_there_after_it_and_for_every_reader(database: Database) -> None:
    await write_row(database, "a")

    assert await row_ids(database) == ["a"]


async def test_an_exception_of_the_body_rolls_back_and_passes_through(database: Database) -> None:
    for raised in (ValueError("mine"), OSError("mine"), TimeoutError("mine"), Unavailable("mine")):
        with pytest.raises(type(raised)) as caught:
            await _write_and_raise(database, raised)
        assert caught.value is raised

    assert await row_ids(database) == []


async def test_writes_of_many_tasks_all_arrive(database: Database) -> None:
    names = [f"s{number:02}" for number in range(40)]

    await asyncio.gather(*(write_row(database, name) for name in names))

    assert await row_ids(database) == names


async def test_of_free_connections_the_last_that_was_used_is_taken_whose_statements_are_prepared(
    database: Database,
) -> None:
    async with AsyncExitStack() as at_once:
        several = [await at_once.enter_async_context(database.read_apart()) for _ in range(3)]
        assert len({await _connection_of(tx) for tx in several}) == 3

    async with database.read_apart() as tx:
        last = await _connection_of(tx)
    for _ in range(5):
        async with database.read_apart() as tx:
            assert await _connection_of(tx) == last


async def _connection_of(tx: Transaction) -> int:
    return id((await tx.get_raw_connection()).driver_connection)


async def test_a_cancelled_write_rolls_back_and_gives_back_connection_and_turn(database: Database) -> None:
    for _ in range(20):  # more often than there are connections
        begun = asyncio.Event()
        task = asyncio.create_task(_write_and_hang(database, begun))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    await asyncio.wait_for(write_row(database, "after"), 10)
    assert await row_ids(database) == ["after"]


async def test_a_write_cancelled_inside_a_statement_rolls_back_and_gives_back_its_connection(
    lender: object, database: Database
) -> None:
    slow = (
        "SELECT pg_sleep(5)"
        if lender
        else "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000) SELECT count(*) FROM n"
    )
    for _ in range(8):
        begun = asyncio.Event()

        async def work(begun: asyncio.Event = begun) -> None:
            async with database.write() as tx:
                await tx.execute(insert(sessions).values(**a_row("a")))
                begun.set()
                await tx.execute(text(slow))

        task = asyncio.create_task(work())
        await begun.wait()
        await asyncio.sleep(0)  # into the statement
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    await asyncio.wait_for(write_row(database, "after"), 20)
    assert await row_ids(database) == ["after"]


async def test_a_task_cancelled_while_it_waits_for_its_turn_leaves_the_turn_to_others(
    sqlite_database: Database,
) -> None:
    begun = asyncio.Event()
    first = asyncio.create_task(_write_and_hang(sqlite_database, begun))
    await begun.wait()
    second = asyncio.create_task(write_row(sqlite_database, "second"))
    await asyncio.sleep(0)
    for task in (second, first):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    await asyncio.wait_for(write_row(sqlite_database, "third"), 10)
    assert await row_ids(sqlite_database) == ["third"]


async def test_a_lock_of_another_process_is_waited_for_past_the_busy_timeout(
    sqlite_database: Database, tmp_path: Path
) -> None:
    with _lock(tmp_path / "sessions.db") as release:
        write = asyncio.create_task(write_row(sqlite_database, "a"))
        _, waiting = await asyncio.wait({write}, timeout=0.4)  # four times the driver's own patience
        assert waiting
        release()
        await asyncio.wait_for(write, 10)

    assert await row_ids(sqlite_database) == ["a"]


async def test_a_lock_held_past_the_budget_is_unavailable_and_the_next_write_works(
    sqlite_database: Database, tmp_path: Path
) -> None:
    impatient = Database.open(f"sqlite:///{tmp_path / 'sessions.db'}", busy_budget_s=0.2)
    with _lock(tmp_path / "sessions.db"), pytest.raises(Unavailable, match="stayed locked"):
        await write_row(impatient, "a")

    await write_row(impatient, "b")

    assert await row_ids(impatient) == ["b"]
    await impatient.close()


async def test_a_lock_while_the_first_connection_is_made_is_waited_for_too(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with sqlite3.connect(path) as plain:
        plain.execute("CREATE TABLE sessions (id TEXT, title TEXT, created_ms INTEGER, updated_ms INTEGER)")
    plain.close()
    database = Database.open(f"sqlite:///{path}")
    with _lock(path) as release:
        write = asyncio.create_task(write_row(database, "a"))
        _, waiting = await asyncio.wait({write}, timeout=0.4)
        assert waiting
        release()
        await asyncio.wait_for(write, 10)

    assert await row_ids(database) == ["a"]
    await database.close()


async def test_values_are_never_in_an_error_text(database: Database) -> None:
    await write_row(database, SECRET)

    with pytest.raises(IntegrityError) as caught:
        await write_row(database, SECRET)

    assert SECRET not in str(caught.value)
    assert "Integrity" in str(caught.value) or "Unique" in str(caught.value)


async def test_a_value_of_the_wrong_type_is_not_quoted(database: Database) -> None:
    with pytest.raises((DBAPIError, Unavailable)) as caught:
        async with database.write() as tx:
            await tx.execute(text("INSERT INTO events (id, session_id) VALUES (:id, 's')"), {"id": SECRET})

    assert SECRET not in str(caught.value)


async def test_wrong_sql_is_a_bug_and_not_unavailable(database: Database) -> None:
    with pytest.raises(DBAPIError):
        async with database.read() as tx:
            await tx.execute(text("SELECT nothing FROM nowhere"))


async def test_a_file_that_cannot_be_written_is_unavailable(sqlite_database: Database) -> None:
    with pytest.raises(Unavailable, match="SQLITE_READONLY: its file may not be written to"):
        await _write_under(sqlite_database, "PRAGMA query_only = ON", "a")


async def test_a_full_disk_is_unavailable_and_loses_nothing_that_was_there(sqlite_database: Database) -> None:
    await write_row(sqlite_database, "a")

    with pytest.raises(Unavailable, match="SQLITE_FULL: its disk is full"):
        await _write_under(sqlite_database, "PRAGMA max_page_count = 1", "b" * 1_000_000)

    assert await row_ids(sqlite_database) == ["a"]


async def test_a_file_that_is_no_database_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "other.db").write_bytes(b"something else entirely, and long enough to be looked at" * 30)
    database = Database.open(f"sqlite:///{tmp_path / 'other.db'}")

    with pytest.raises(Unavailable, match="SQLITE_NOTADB: its file is no SQLite database"):
        await row_ids(database)

    await database.close()


async def test_a_file_that_is_damaged_is_called_so(tmp_path: Path) -> None:
    file = tmp_path / "sessions.db"
    whole = Database.open(f"sqlite:///{file}")
    async with whole.write() as tx:
        await tx.execute(text("CREATE TABLE t (a)"))
        await tx.execute(text("INSERT INTO t VALUES (:a)"), {"a": "b" * 20_000})
    await whole.close()
    header = 100
    file.write_bytes(file.read_bytes()[:header] + b"\xff" * (file.stat().st_size - header))
    damaged = Database.open(f"sqlite:///{file}")

    with pytest.raises(Unavailable, match="SQLITE_CORRUPT: its file is damaged"):
        async with damaged.read() as tx:
            await tx.execute(text("SELECT a FROM t"))

    await damaged.close()


async def test_a_place_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(Unavailable):
        Database.open(f"sqlite:///{tmp_path / 'file' / 'sessions.db'}")


async def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    database = Database.open(f"sqlite:///{tmp_path / 'new folder' / 'odd %?# name.db'}")
    async with database.write() as tx:
        await tx.execute(text("CREATE TABLE t (a)"))

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new folder").iterdir()}

    assert modes["odd %?# name.db"] == 0o600
    assert set(modes.values()) == {0o600}
    await database.close()


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    database = Database.open("postgresql://someone:hush@127.0.0.1:1/nothing")

    with pytest.raises(Unavailable) as caught:
        await row_ids(database)

    assert "hush" not in str(caught.value)
    await database.close()


async def test_a_database_that_is_not_there_is_unavailable(postgres_server: PostgresServer) -> None:
    database = Database.open(postgres_server.url("nowhere"))

    with pytest.raises(Unavailable, match="3D000: there is no such database"):
        await row_ids(database)

    await database.close()


async def test_a_connection_that_the_server_ended_is_replaced_unseen(
    postgres_server: PostgresServer, postgres_template: str
) -> None:
    name = await postgres_server.create_database(postgres_template)
    database = Database.open(postgres_server.url(name))
    await write_row(database, "a")

    with pytest.raises(Unavailable):
        async with database.write() as tx:
            await tx.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))

    assert await row_ids(database) == ["a"]
    await database.close()
    await postgres_server.drop_database(name)


async def test_an_exhausted_pool_is_unavailable(postgres_server: PostgresServer, postgres_template: str) -> None:
    database = Database.open(postgres_server.url(postgres_template), busy_budget_s=0.2, pool_size=1)
    async with _many_reads(database, 11):  # SQLAlchemy lets ten more overflow
        with pytest.raises(Unavailable, match="no free connection"):
            await row_ids(database)

    await database.close()


@pytest.mark.parametrize(
    "url",
    ["mysql://host/db", "sqlite:nothing", "postgresql://host:port-of-call/db", "postgresql://host/db?pgbouncer=true"],
)
def test_a_url_that_cannot_be_used_is_a_config_error_without_the_url(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Database.open(url)

    assert url not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me@/beaver?host=/var/run/postgresql&port=5433&sslmode=require",
        "postgres://me:a/b#c%40d@[::1]:5432/beaver?application_name=beaver",
        "postgresql:///beaver?host=one:5432&host=two:5432&target_session_attrs=read-write",
        "postgresql://me@db/beaver?sslmode=verify-full&sslrootcert=system&channel_binding=require&connect_timeout=9",
    ],
)
def test_every_postgresql_url_that_keeps_the_rules_can_be_opened(url: str) -> None:
    assert broken_rule(url) is None
    assert Database.open(url).dialect is POSTGRESQL


async def test_closing_ends_the_threads(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    database = Database.open(f"sqlite:///{tmp_path / 'threads.db'}")
    async with database.write() as tx:
        await tx.execute(text("CREATE TABLE sessions (id TEXT, title TEXT, created_ms INTEGER, updated_ms INTEGER)"))
    await asyncio.gather(*(row_ids(database) for _ in range(5)))
    begun = asyncio.Event()
    cancelled = asyncio.create_task(_write_and_hang(database, begun))
    await begun.wait()
    cancelled.cancel()
    await asyncio.wait({cancelled})
    assert set(threading.enumerate()) - before

    await database.close()

    async def ended() -> bool:
        return not {thread for thread in set(threading.enumerate()) - before if "worker_thread" in thread.name}

    await wait_until(ended, what="the end of the threads")


async def _write_and_raise(database: Database, raised: Exception) -> None:
    async with database.write() as tx:
        await tx.execute(insert(sessions).values(**a_row("a")))
        raise raised


async def _write_under(database: Database, pragma: str, session_id: str) -> None:
    async with database.write() as tx:
        await tx.execute(text(pragma))
        await tx.execute(insert(sessions).values(**a_row(session_id)))


async def _write_and_hang(database: Database, begun: asyncio.Event) -> None:
    async with database.write() as tx:
        await tx.execute(insert(sessions).values(**a_row("hung")))
        begun.set()
        await asyncio.Event().wait()


@asynccontextmanager
async def _many_reads(database: Database, count: int) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for _ in range(count):
            await stack.enter_async_context(database.read())
        yield


@contextmanager
def _lock(path: Path) -> Iterator[Callable[[], None]]:
    """Another connection's write lock, until released."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    def release() -> None:
        if other.in_transaction:
            other.execute("ROLLBACK")

    try:
        yield release
    finally:
        release()
        other.close()
