"""The memory database's schema: fresh equals migrated, on both databases; what an older one held is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text

from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema, schema_revision
from beaver.memory import migrations
from beaver.memory.forgetting import purge_store
from beaver.memory.migrations import HEAD, VERSION_TABLE
from beaver.memory.namespace import Namespace
from beaver.memory.observations.entries import content_hash
from beaver.memory.records import Question
from beaver.memory.runtime import MIGRATIONS, MemoryRuntime
from beaver.memory.tables import FULLTEXT_TABLE, metadata
from tests.support.lending import Lender
from tests.support.postgres import PostgresServer

_SQLITE_OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_master"
_POSTGRES_OBJECTS = (
    """SELECT table_name, column_name, data_type, is_nullable, column_default
       FROM information_schema.columns WHERE table_schema = 'public'""",
    "SELECT tablename, indexname, indexdef, '', '' FROM pg_indexes WHERE schemaname = 'public'",
    """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), '', '' FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace""",
    "SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), '', '' FROM pg_trigger WHERE NOT tgisinternal",
    "SELECT proname, prosrc, prorettype::regtype::text, '', '' FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
)


@pytest.fixture
async def empty_url(memory_lender: Lender | None, tmp_path: Path) -> AsyncIterator[str]:
    if memory_lender is None:
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    name = await memory_lender.server.create_database()
    yield memory_lender.server.url(name)
    await memory_lender.server.drop_database(name)


@pytest.fixture
async def empty(empty_url: str) -> AsyncIterator[Database]:
    opened = Database.open(empty_url)
    yield opened
    await opened.close()


async def test_a_migrated_schema_holds_what_the_tables_say(memory_database: Database) -> None:
    await ensure_schema(memory_database, MIGRATIONS)
    assert await schema_revision(memory_database, VERSION_TABLE) == HEAD
    async with memory_database.read() as tx:
        assert await tx.run_sync(_differences) == []


async def test_a_fresh_schema_equals_a_migrated_one_object_for_object(
    memory_database: Database, empty: Database
) -> None:
    async with empty.write() as tx:
        await tx.run_sync(metadata.create_all)
    assert await _objects(empty) == await _objects(memory_database)


async def test_the_head_is_the_newest_version_file() -> None:
    files = sorted((Path(migrations.__file__).parent / "versions").glob("v*.py"))
    assert files[-1].name.startswith(f"v{HEAD}_")


async def test_many_may_migrate_at_once(empty_url: str) -> None:
    opened = [Database.open(empty_url) for _ in range(4)]
    try:
        await asyncio.gather(*(ensure_schema(database, MIGRATIONS) for database in opened))
        assert await schema_revision(opened[0], VERSION_TABLE) == HEAD
    finally:
        for database in opened:
            await database.close()


async def test_postgresql_asks_for_no_more_than_a_schema_to_create_in(postgres_server: PostgresServer) -> None:
    name = await postgres_server.create_database()
    owner = Database.open(postgres_server.url(name))
    async with owner.write() as tx:
        await tx.execute(text("DROP ROLE IF EXISTS modest_gateway"))
        await tx.execute(text("CREATE ROLE modest_gateway LOGIN"))
        await tx.execute(text("GRANT CREATE, USAGE ON SCHEMA public TO modest_gateway"))
    modest = Database.open(postgres_server.url(name).replace("postgres@", "modest_gateway@"))
    try:
        await ensure_schema(modest, MIGRATIONS)
        assert await schema_revision(modest, VERSION_TABLE) == HEAD
    finally:
        await modest.close()
        await owner.close()
        await postgres_server.drop_database(name)


async def test_what_the_first_schema_held_is_found_after_the_second(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'first.db'}"
    first = Database.open(url)
    async with first.write() as tx:
        await tx.run_sync(_upgrade, "0001")
        for statement in _FIRST_ROWS:
            await tx.execute(text(statement))
    await first.close()
    runtime = await MemoryRuntime.open(url)
    try:
        question = Question("where is the kayak", "chat:s", ("all_user_memory",), 5)
        found = await runtime.search(Namespace("default", "default", "ada"), question)
    finally:
        await runtime.close()
    assert [memory.text for memory in found] == ["the kayak is in the shed"]


async def test_what_earlier_releases_left_of_forgotten_sessions_and_users_goes(empty: Database) -> None:
    async with empty.write() as tx:
        await tx.run_sync(_upgrade, "0004")
        columns = "text, lexemes" if empty.dialect.name == "postgresql" else "text, scope"
        await tx.execute(text(f"INSERT INTO memory_fts (rowid, {columns}) VALUES (7, 'secret', 'n1')"))
        for user_id in ("gone", "here"):
            made = "INSERT INTO receipts VALUES ('admin', :user, 'hash', :receipt, 1)"
            await tx.execute(text(made), {"user": user_id, "receipt": f'{{"user_id": "{user_id}"}}'})
        await tx.execute(text("INSERT INTO users VALUES ('here', 1)"))

    await ensure_schema(empty, MIGRATIONS)

    async with empty.read() as tx:
        assert (await tx.execute(text("SELECT rowid FROM memory_fts"))).all() == []
        assert list(await tx.scalars(text("SELECT idempotency_key FROM receipts"))) == ["here"]
        assert await purge_store.noted(tx) is not None


async def test_what_was_learned_before_is_looked_up_after(empty: Database) -> None:
    """More rows than one step of the migration fills."""
    async with empty.write() as tx:
        await tx.run_sync(_upgrade, "0006")
        for statement in _LEARNED:
            await tx.execute(text(statement))
        archived = [{"id": f"obs{number:04}", "title": f"Boat {number}"} for number in range(1100)]
        await tx.execute(text(_ARCHIVED), [{**one, "content": json.dumps(_content(one["title"]))} for one in archived])

    await ensure_schema(empty, MIGRATIONS)

    async with empty.read() as tx:
        assert (
            await tx.scalar(text("SELECT observation_id FROM observation_evidence WHERE message_id = 't1.0'")) == "o1"
        )
        assert await tx.scalar(text("SELECT count(*) FROM archive_evidence WHERE message_id = 't1.1'")) == len(archived)
        held = text("SELECT hash, session_id FROM observation_archive ORDER BY observation_id")
        expected = [(content_hash(one["title"], ("It floats.",)), "chat:s") for one in archived]
        assert [tuple(row) for row in await tx.execute(held)] == expected


_LEARNED = (
    "INSERT INTO users VALUES ('ada', 1)",
    "INSERT INTO namespaces (id, user_id, app_id, project_id, created_ms) VALUES (1, 'ada', 'default', 'default', 1)",
    """INSERT INTO observations VALUES ('o1', 1, NULL, 'private', 'task', 'Boat', '', '[]', '[]', '[]', '[]',
       '[{"turn_id": "t1", "message_id": "t1.0"}]', 'tool', 'owner', 'h', 0, 1, false, 1, 1, NULL, NULL, NULL, NULL, NULL)""",
)
_ARCHIVED = "INSERT INTO observation_archive VALUES (:id, 1, 'private', 'task', :title, '', :content, 'unused', 1)"


def _content(title: str) -> dict[str, Any]:
    evidence = [{"turn_id": "t1", "message_id": "t1.1"}]
    return {"title": title, "facts": ["It floats."], "evidence": evidence, "session_id": "chat:s"}


_FIRST_ROWS = (
    "INSERT INTO users VALUES ('ada', 1)",
    "INSERT INTO namespaces (id, user_id, app_id, project_id, created_ms) VALUES (1, 'ada', 'default', 'default', 1)",
    "INSERT INTO conversations VALUES (1, 1, 'chat:s', 2, 1, 1)",
    "INSERT INTO turns VALUES ('t1', 1, 1, 1, 'delivered', 'gateway_add', 1, NULL)",
    "INSERT INTO messages VALUES ('t1.0', 1, 't1', 0, 'user', 'ada', 'the kayak is in the shed', 1)",
    "INSERT INTO passages VALUES (1, 1, 1, 't1.0', NULL, 0, 0, 24, 1)",
    "INSERT INTO memory_fts (rowid, text, scope) VALUES (1, 'the kayak is in the shed', 'n1 m1 c1')",
)


def _upgrade(connection: Connection, revision: str) -> None:
    """What a release that ended there did."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "beaver:memory/migrations")
    config.attributes["connection"] = connection
    config.attributes["version_table"] = VERSION_TABLE
    command.upgrade(config, revision)


def _differences(connection: Connection) -> list[Any]:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    def ours(_thing: Any, name: str | None, kind: str, _reflected: bool, _other: Any) -> bool:
        return kind != "table" or not str(name).startswith(FULLTEXT_TABLE)

    options = {"include_object": ours, "version_table": VERSION_TABLE, "compare_type": True}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


async def _objects(database: Database) -> list[tuple[str, ...]]:
    """Columns, indexes and constraints, but for the search index and alembic's own table."""
    statements = (_SQLITE_OBJECTS,) if database.dialect.name == "sqlite" else _POSTGRES_OBJECTS
    async with database.read() as tx:
        found = [row for sql in statements for row in (await tx.execute(text(sql))).all()]
    # Whitespace apart: SQLite keeps the words of an added column on the line before it.
    objects = (tuple(" ".join(str(value).split()) for value in row) for row in found)
    return sorted(one for one in objects if not any(name in " ".join(one) for name in (FULLTEXT_TABLE, "alembic")))
