"""A memory engine for tests, with its first users, closed at the end however the test ends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from beaver.clock import Clock
from beaver.memory.runtime import MemoryRuntime
from tests.support.memory_gateway import MORNING_MS


def morning() -> int:
    """A clock that stands still."""
    return MORNING_MS


@asynccontextmanager
async def engine_with(
    url: str, *user_ids: str, clock: Clock = morning, **settings: Any
) -> AsyncIterator[MemoryRuntime]:
    """An engine over a database that is migrated, with these users; further settings are those of `MemoryRuntime.open`."""
    runtime = await MemoryRuntime.open(url, clock=clock, **settings)
    try:
        for user_id in user_ids:
            await runtime.create_user(user_id)
        yield runtime
    finally:
        await runtime.close()
