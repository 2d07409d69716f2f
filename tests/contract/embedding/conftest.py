"""A memory that waits for its vectors, and what makes them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from beaver.db.engine import Database
from beaver.memory.embedding.service import EmbeddingService
from beaver.memory.runtime import MemoryRuntime
from tests.support.encoders import TestedEncoder
from tests.support.memory_gateway import MORNING_MS


@pytest.fixture
async def runtime(runtime: MemoryRuntime) -> MemoryRuntime:
    """The engine without an encoder, which stores what then waits."""
    await runtime.create_user("bob")
    return runtime


@pytest.fixture
async def encoder() -> TestedEncoder:
    return TestedEncoder()


@pytest.fixture
async def service(memory_database: Database, encoder: TestedEncoder) -> AsyncIterator[EmbeddingService]:
    made = EmbeddingService(memory_database, encoder, lambda: MORNING_MS, retry_first_s=0.01)
    yield made
    await made.close()
