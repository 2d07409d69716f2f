"""The session database's schema: fresh equals migrated, on both databases, whoever migrates, however many at once."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from beaver.db import migrations
from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema, schema_revision
from beaver.db.tables import metadata
from beaver.errors import Unavailable
from beaver.outbox.heartbeats import Heartbeat, HeartbeatStore
from beaver.outbox.states import State
from beaver.outbox.turns import NewTurn
from beaver.sessions.records import MESSAGE, NewEvent
from beaver.sessions.store import SessionStore
from tests.support.ledger import Ledger
from tests.support.lending import Lender
from tests.support.postgres import PostgresServer

PACKAGE = "beaver.db.migrations"

_SQLITE_OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE '%alembic%'"
_POSTGRES_OBJECTS = (
    """SELECT c.table_name, c.column_name, c.data_type, c.is_nullable, c.column_default, c.generation_expression
       FROM information_schema.columns c WHERE c.table_schema = 'public' AND c.table_name <> 'alembic_version'""",
    "SELECT indexname, indexdef, '', '', '', '' FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'alembic_version'",
    """SELECT conname, pg_get_constraintdef(oid), '', '', '', '' FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace AND conrelid <> 'alembic_version'::regclass""",
)


@pytest.fixture
async def empty_url(lender: Lender | None, tmp_path: Path) -> AsyncIterator[str]:
    if lender is None:
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    name = await lender.server.create_database()
    yield lender.server.url(name)
    await lender.server.drop_database(name)


@pytest.fixture
async def empty(empty_url: str) -> AsyncIterator[Database]:
    opened = Database.open(empty_url)
    yield opened
    await opened.close()


async def test_no_transaction_lies_idle_while_alembic_is_loaded(
    empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, loaded = Database.write, []

    def noted(database: Database) -> Any:
        loaded.append("alembic.command" in sys.modules)
        return write(database)

    monkeypatch.delitem(sys.modules, "alembic.command", raising=False)
    monkeypatch.setattr(Database, "write", noted)
    await ensure_schema(empty, PACKAGE)

    assert loaded == [True]


async def test_a_migrated_schema_holds_what_the_tables_say(database: Database) -> None:
    def differences(connection: Connection) -> list[Any]:
        from alembic.autogenerate import compare_metadata
        from alembic.migration import MigrationContext

        options = {"include_object": _is_no_search_object, "compare_type": True}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))

    async with database.read() as tx:
        assert await tx.run_sync(differences) == []


async def test_a_fresh_schema_equals_a_migrated_one_object_for_object(database: Database, empty: Database) -> None:
    async with empty.write() as tx:
        await tx.run_sync(metadata.create_all)
        await tx.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32))"))

    assert await _objects(empty) == await _objects(database)


async def test_the_head_is_the_newest_version_file(empty: Database) -> None:
    files = sorted((Path(migrations.__file__).parent / "versions").glob("v*.py"))

    await ensure_schema(empty, PACKAGE)

    assert files[-1].name.startswith(f"v{migrations.HEAD}_")
    assert await schema_revision(empty) == migrations.HEAD


async def test_migrating_again_changes_nothing(database: Database) -> None:
    before = await _objects(database)

    await ensure_schema(database, PACKAGE)

    assert await _objects(database) == before


async def test_a_database_of_the_first_release_keeps_its_turns_and_learns_heartbeats(empty: Database) -> None:
    await _migrate(empty, "0001")
    ledger = Ledger(empty)
    async with empty.write() as tx:
        await tx.execute(text("INSERT INTO sessions (id, created_ms, updated_ms) VALUES ('s1', 1, 1)"))
        asked = await ledger.sessions.append(tx, "s1", "run_1", NewEvent(MESSAGE, "kept words", "user"))
        answered = await ledger.sessions.append(tx, "s1", "run_1", NewEvent(MESSAGE, "A drink.", "assistant"))
        await ledger.store.insert(tx, NewTurn("run_1", "s1", asked, answered, 1, 2, "ada", "default", "default"))

    await ensure_schema(empty, PACKAGE)

    assert await ledger.path("run_1") == [State.PENDING]
    async with empty.write() as tx:
        beats = HeartbeatStore(empty.dialect)
        await beats.beat(tx, Heartbeat("w", "host", 7, "0.1.0", 0, draining=False))
        assert [worker.worker_id for worker in await beats.live_workers(tx)] == ["w"]
        assert [event.content for event in await ledger.sessions.history(tx, "s1")] == ["kept words", "A drink."]


async def test_counts_of_an_earlier_release_stay_and_name_no_session_any_more(empty: Database) -> None:
    await _migrate(empty, "0005")
    async with empty.write() as tx:
        await tx.execute(text("INSERT INTO sessions (id, created_ms, updated_ms) VALUES ('kept', 1, 1)"))
        await SessionStore(empty.dialect).start_run(tx, "run_kept", "kept", fence=1, provider=None, model=None)
        for name in ("kept", "gone"):
            await tx.execute(
                text(
                    "INSERT INTO memory_turns (run_id, tenant, user_id, session_id, mode, attempted, accepted, deduped,"
                    " superseded, remote, rejected, at_ms) VALUES (:run, 't', 'ada', :session, 'write', 3, 2, 0, 0, 1, '{}', 1)"
                ),
                {"run": f"run_{name}", "session": name},
            )

    await ensure_schema(empty, PACKAGE)

    async with empty.read() as tx:
        rows = (await tx.execute(text("SELECT run_id, session_id, accepted FROM memory_turns ORDER BY id"))).all()
    assert [tuple(row) for row in rows] == [("run_kept", "", 2), ("deleted_2", "", 2)]


async def test_many_may_migrate_at_once(empty_url: str) -> None:
    opened = [Database.open(empty_url) for _ in range(4)]

    await asyncio.gather(*(ensure_schema(database, PACKAGE) for database in opened))

    assert [await schema_revision(database) for database in opened] == [migrations.HEAD] * 4
    for database in opened:
        await database.close()


async def test_two_processes_may_migrate_at_once(empty_url: str) -> None:
    program = (
        "import asyncio, sys\n"
        "from beaver.db.engine import Database\n"
        "from beaver.db.migrate import ensure_schema\n"
        "async def main():\n"
        "    database = Database.open(sys.argv[1])\n"
        f"    await ensure_schema(database, {PACKAGE!r})\n"
        "    await database.close()\n"
        "sys.stdin.readline()\n"
        "asyncio.run(main())\n"
    )
    command = (sys.executable, "-c", program, empty_url)
    processes = [await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE) for _ in range(2)]

    await asyncio.gather(*(process.communicate(b"go\n") for process in processes))

    assert [process.returncode for process in processes] == [0, 0]


async def test_a_newer_schema_is_refused(database: Database) -> None:
    async with database.write() as tx:
        await tx.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(Unavailable, match="newer than this release's"):
        await ensure_schema(database, PACKAGE)


async def test_a_failed_migration_leaves_nothing_behind(empty: Database) -> None:
    async with empty.write() as tx:
        await tx.execute(text("CREATE TABLE outbox (in_the_way INTEGER)"))

    with pytest.raises(DBAPIError):
        await ensure_schema(empty, PACKAGE)

    assert await schema_revision(empty) is None
    assert {row[0] for row in await _tables(empty)} == {"outbox"}


async def test_postgresql_goes_without_a_trigram_index_where_the_role_may_not_have_one(
    postgres_server: PostgresServer,
) -> None:
    name = await postgres_server.create_database()
    owner = Database.open(postgres_server.url(name))
    async with owner.write() as tx:
        await tx.execute(text("DROP ROLE IF EXISTS modest"))
        await tx.execute(text("CREATE ROLE modest LOGIN"))
        await tx.execute(text("GRANT CREATE, USAGE ON SCHEMA public TO modest"))
    modest = Database.open(postgres_server.url(name).replace("postgres@", "modest@"))

    await ensure_schema(modest, PACKAGE)

    async with modest.read() as tx:
        indexes = set(await tx.scalars(text("SELECT indexname FROM pg_indexes WHERE tablename = 'events'")))
    assert "ix_events_search_words" in indexes
    assert "ix_events_trigrams" not in indexes
    await modest.close()
    await owner.close()
    await postgres_server.drop_database(name)


async def _migrate(database: Database, revision: str) -> None:
    """What a release that ended there did."""

    def upgrade(connection: Connection) -> None:
        from alembic import command
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", "beaver:db/migrations")
        config.attributes["connection"] = connection
        config.attributes["version_table"] = "alembic_version"
        command.upgrade(config, revision)

    async with database.write() as tx:
        await tx.run_sync(upgrade)


def _is_no_search_object(_object: Any, name: str | None, _type: str, _reflected: bool, _other: Any) -> bool:
    return name not in {"search_words", "ix_events_search_words", "ix_events_trigrams"} and not str(name).startswith(
        ("events_words", "events_trigrams")
    )


async def _objects(database: Database) -> list[tuple[Any, ...]]:
    statements = (_SQLITE_OBJECTS,) if database.dialect.name == "sqlite" else _POSTGRES_OBJECTS
    async with database.read() as tx:
        found = [row for sql in statements for row in (await tx.execute(text(sql))).all()]
    # Whitespace apart: SQLite keeps the words of an added column on the line before it.
    return sorted(tuple(" ".join(str(value).split()) for value in row) for row in found)


async def _tables(database: Database) -> list[Any]:
    sql = (
        "SELECT name FROM sqlite_master WHERE type = 'table'"
        if database.dialect.name == "sqlite"
        else "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    )
    async with database.read() as tx:
        return list(await tx.execute(text(sql)))
