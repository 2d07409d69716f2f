"""A process that restores, and one that serves meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from beaver.memory.portability import store
from beaver.memory.runtime import MemoryRuntime
from tests.contract.memory_keeping.restoring_scene import (
    exported,
    fill,
    opened,
)


@pytest.fixture
def days() -> list[int]:
    """By how many days the clock is further."""
    return [0]


@pytest.fixture
async def restoring(memory_url: str, days: list[int], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MemoryRuntime]:
    """The process that restores, in small pages."""
    monkeypatch.setattr(store, "PAGE_ROWS", 3)
    async with opened(memory_url, days) as runtime:
        for user_id in ("ada", "bob"):
            await runtime.create_user(user_id)
        yield runtime


@pytest.fixture
async def serving(restoring: MemoryRuntime, memory_url: str, days: list[int]) -> AsyncIterator[MemoryRuntime]:
    """Another one, that serves meanwhile."""
    async with opened(memory_url, days) as runtime:
        yield runtime


@pytest.fixture
async def whole(restoring: MemoryRuntime) -> bytes:
    """Ada's memory as a file; there is nothing of it in the database any more."""
    await fill(restoring)
    export = await exported(restoring)
    await restoring.forget_user("ada")
    await restoring.create_user("ada")
    await restoring.wait_until_purged()
    return export
