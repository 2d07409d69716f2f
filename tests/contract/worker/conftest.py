"""An instance on both databases, or on SQLite alone where the database makes no difference."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from beaver.client.jobs import PersistQueue
from beaver.db.engine import Database
from tests.contract.worker.scene import Scene
from tests.support.gateway_stub import running_gateway_stub
from tests.support.ledger import Ledger
from tests.support.valkey import ValkeyServer


@pytest.fixture
async def scene(tmp_path: Path, database: Database, database_url: str, valkey: ValkeyServer) -> AsyncIterator[Scene]:
    queue = PersistQueue.open(valkey.url, timeout_ms=2_000)
    async with running_gateway_stub() as stub:
        made = Scene(tmp_path, Ledger(database), queue, stub, valkey, database_url)
        made.write()
        yield made
        stub.release()
    await queue.aclose()


@pytest.fixture
async def quick_scene(tmp_path: Path, sqlite_database: Database, valkey: ValkeyServer) -> AsyncIterator[Scene]:
    """The same on SQLite alone, where the database makes no difference."""
    queue = PersistQueue.open(valkey.url, timeout_ms=2_000)
    async with running_gateway_stub() as stub:
        url = f"sqlite:///{tmp_path / 'sessions.db'}"
        made = Scene(tmp_path, Ledger(sqlite_database), queue, stub, valkey, url)
        made.write()
        yield made
        stub.release()
    await queue.aclose()
