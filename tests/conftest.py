"""Real parts for every test: a PostgreSQL and a Valkey for the whole run, a fresh database for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.valkey import ValkeyServer, running_valkey

# The same examples in every run, so that a red run can be run again; `--hypothesis-profile=default` looks further.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
async def postgres_template(postgres_server: PostgresServer) -> str:
    """A database with the migrated schema, to clone."""
    name = await postgres_server.create_database()
    database = Database.open(postgres_server.url(name))
    await ensure_schema(database, "beaver.db.migrations")
    await database.close()
    return name


@pytest.fixture(params=["sqlite", "postgresql"])
def postgres_to_clone(request: pytest.FixtureRequest) -> tuple[PostgresServer, str] | None:
    """None for SQLite. Not async: fixtures are asked for by name outside the running loop only."""
    if request.param == "sqlite":
        return None
    return request.getfixturevalue("postgres_server"), request.getfixturevalue("postgres_template")


@pytest.fixture
async def database_url(postgres_to_clone: tuple[PostgresServer, str] | None, tmp_path: Path) -> AsyncIterator[str]:
    """URL of an empty session database with its schema, on both databases in turn."""
    if postgres_to_clone is None:
        url = f"sqlite:///{tmp_path / 'sessions.db'}"
        database = Database.open(url)
        await ensure_schema(database, "beaver.db.migrations")
        await database.close()
        yield url
        return
    server, template = postgres_to_clone
    name = await server.create_database(template)
    yield server.url(name)
    await server.drop_database(name)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = Database.open(database_url)
    yield opened
    await opened.close()


@pytest.fixture
async def sqlite_database(tmp_path: Path) -> AsyncIterator[Database]:
    """An empty session database on SQLite alone, for tests whose truth does not hang on the database."""
    opened = Database.open(f"sqlite:///{tmp_path / 'sessions.db'}")
    await ensure_schema(opened, "beaver.db.migrations")
    yield opened
    await opened.close()


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[ValkeyServer]:
    with running_valkey() as server:
        yield server


@pytest.fixture
def valkey(valkey_server: ValkeyServer) -> ValkeyServer:
    """The run's queue server, emptied. A test that kills it must start it again."""
    valkey_server.empty()
    return valkey_server
