"""An empty memory database for every test that asks, on SQLite and on PostgreSQL in turn; its schema is migrated once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from beaver.db.engine import Database
from beaver.memory.runtime import MemoryRuntime
from tests.support.databases import MEMORY_MIGRATIONS, lent, migrate, put_migrated
from tests.support.lending import Lender
from tests.support.memory_engine import engine_with
from tests.support.postgres import PostgresServer


@pytest.fixture(scope="session")
async def memory_postgres_template(postgres_server: PostgresServer) -> str:
    """A database with the migrated memory schema, to clone."""
    name = await postgres_server.create_database()
    await migrate(postgres_server.url(name), MEMORY_MIGRATIONS)
    return name


@pytest.fixture(scope="session")
def memory_databases(postgres_server: PostgresServer, memory_postgres_template: str) -> Lender:
    """Lends memory databases of PostgreSQL."""
    return Lender(postgres_server, memory_postgres_template)


@pytest.fixture
def memory_sqlite_url(tmp_path: Path) -> str:
    """URL of an empty memory database on SQLite alone, for tests whose truth does not hang on the database."""
    return put_migrated(tmp_path / "gateway.db", MEMORY_MIGRATIONS)


@pytest.fixture(params=["sqlite", "postgresql"])
def memory_lender(request: pytest.FixtureRequest) -> Lender | None:
    """None for SQLite. Not async: fixtures are asked for by name outside the running loop only."""
    return request.getfixturevalue("memory_databases") if request.param == "postgresql" else None


@pytest.fixture
async def memory_url(memory_lender: Lender | None, memory_sqlite_url: str) -> AsyncIterator[str]:
    """URL of an empty memory database with its schema, on both databases in turn."""
    async with lent(memory_lender, memory_sqlite_url) as url:
        yield url


@pytest.fixture
async def runtime(memory_url: str) -> AsyncIterator[MemoryRuntime]:
    """The whole engine over the same, with one user, Ada. Where Bob is needed too, a test's own fixture of this name adds him."""
    async with engine_with(memory_url, "ada") as opened:
        yield opened


@pytest.fixture
async def memory_database(memory_url: str) -> AsyncIterator[Database]:
    """The same, opened; for tests of stores."""
    opened = Database.open(memory_url)
    yield opened
    await opened.close()
