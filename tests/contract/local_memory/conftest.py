"""The local store on both databases."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from beaver.cli.local_memory.store import LocalItemStore
from beaver.db.engine import Database
from beaver.memory.runtime import MemoryRuntime
from tests.contract.local_memory.desk import Desk, desk_over


@pytest.fixture
async def store(memory_url: str) -> AsyncIterator[LocalItemStore]:
    opened = LocalItemStore(await MemoryRuntime.open(memory_url))
    yield opened
    await opened.close()


@pytest.fixture
async def desk(memory_sqlite_url: str, sqlite_database: Database) -> AsyncIterator[Desk]:
    async with desk_over(memory_sqlite_url, sqlite_database) as made:
        yield made


@pytest.fixture
async def wide_desk(memory_sqlite_url: str, database: Database) -> AsyncIterator[Desk]:
    """The same with either session database, for what hangs on its SQL."""
    async with desk_over(memory_sqlite_url, database) as made:
        yield made
