"""An engine with one user, on a database of each kind."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from beaver.memory.runtime import MemoryRuntime
from tests.support.memory_gateway import MORNING_MS


@pytest.fixture
async def runtime(memory_url: str) -> AsyncIterator[MemoryRuntime]:
    """Ada's."""
    opened = await MemoryRuntime.open(memory_url, clock=lambda: MORNING_MS)
    await opened.create_user("ada")
    yield opened
    await opened.close()
