"""A stage for each drill, with a queue server of its own: what a drill leaves in it is the drill's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from beaver.client.jobs import PersistQueue
from beaver.db.engine import Database
from tests.drills.scene import Scene
from tests.support.gateway_stub import running_gateway_stub
from tests.support.ledger import Ledger
from tests.support.postgres import PostgresServer
from tests.support.valkey import ValkeyServer, running_valkey


@pytest.fixture
def own_valkey() -> Iterator[ValkeyServer]:
    with running_valkey() as server:
        yield server


@pytest.fixture
async def scene(
    tmp_path: Path, database: Database, database_url: str, own_valkey: ValkeyServer
) -> AsyncIterator[Scene]:
    async with staged(tmp_path, database, database_url, own_valkey) as made:
        yield made


@pytest.fixture
async def quick_scene(tmp_path: Path, sqlite_database: Database, own_valkey: ValkeyServer) -> AsyncIterator[Scene]:
    """The same on SQLite alone, where the database makes no difference."""
    async with staged(tmp_path, sqlite_database, f"sqlite:///{tmp_path / 'sessions.db'}", own_valkey) as made:
        yield made


@pytest.fixture
async def postgres_scene(
    tmp_path: Path, postgres_server: PostgresServer, postgres_template: str, own_valkey: ValkeyServer
) -> AsyncIterator[Scene]:
    """The same on PostgreSQL alone."""
    name = await postgres_server.create_database(postgres_template)
    database = Database.open(postgres_server.url(name))
    async with staged(tmp_path, database, postgres_server.url(name), own_valkey) as made:
        yield made
    await database.close()
    await postgres_server.drop_database(name)


@asynccontextmanager
async def staged(root: Path, database: Database, database_url: str, valkey: ValkeyServer) -> AsyncIterator[Scene]:
    """Everything in place, no worker yet."""
    queue = PersistQueue.open(valkey.url, timeout_ms=1_000)
    async with running_gateway_stub() as stub:
        made = Scene(root, Ledger(database), queue, stub, valkey, database_url)
        made.write()
        yield made
        stub.release()
    await queue.aclose()


@pytest.fixture(params=["sqlite", "postgresql"])
def postgres_if_any(request: pytest.FixtureRequest) -> PostgresServer | None:
    """None for SQLite. Not async: fixtures are asked for by name outside the running loop only."""
    return None if request.param == "sqlite" else request.getfixturevalue("postgres_server")


@pytest.fixture
async def url(postgres_if_any: PostgresServer | None, tmp_path: Path) -> AsyncIterator[str]:
    """An empty database's, of either kind, for a Gateway in a process of its own."""
    if postgres_if_any is None:
        yield f"sqlite:///{tmp_path / 'gateway.db'}"
        return
    name = await postgres_if_any.create_database()
    yield postgres_if_any.url(name)
    await postgres_if_any.drop_database(name)
