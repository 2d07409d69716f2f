"""Asks the parts of a chat server how they stand, each within a bound: a part that hangs holds nobody up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from beaver.agent.loader import EngineLoadResult
from beaver.errors import BeaverError
from beaver.outbox.metrics import LedgerReading, read_ledger
from beaver.schemas.health import PartHealth

PROBE_S: Final = 3.0

Probe = Callable[[], Awaitable[str | None]]
"""Asks a part; returns why it cannot be used, in words without a secret, or None."""


async def look_at_sessions(engine: EngineLoadResult) -> PartHealth:
    """The session store: without it nothing can be answered."""

    async def ask() -> str | None:
        async with engine.database.write() as tx:
            await engine.sessions.try_write(tx)
        return None

    return await _probed(ask)


async def look_at_queue(engine: EngineLoadResult) -> PartHealth:
    """The queue: turns wait in the ledger without it."""
    gateway = engine.memory_gateway_service
    return _UNUSED if gateway is None else await _probed(gateway.queue_trouble)


async def look_at_gateway(engine: EngineLoadResult) -> PartHealth:
    """The Memory Gateway, by a search as this server's user: answers come without recall while it is away."""
    gateway = engine.memory_gateway_service
    return _UNUSED if gateway is None else await _probed(gateway.gateway_trouble)


async def look_at_ledger(engine: EngineLoadResult) -> LedgerReading | None:
    """The ledger's depth; None when it cannot be had in time."""
    try:
        async with asyncio.timeout(PROBE_S):
            return await read_ledger(engine.database, engine.outbox, engine.depth)
    except TimeoutError:
        return None


async def _probed(ask: Probe) -> PartHealth:
    began_at = time.monotonic()
    try:
        async with asyncio.timeout(PROBE_S):
            trouble = await ask()
    except TimeoutError:
        trouble = f"did not answer within {PROBE_S:g} s"
    except BeaverError as error:
        trouble = str(error)
    ms = round((time.monotonic() - began_at) * 1000)
    return PartHealth(status="ok" if trouble is None else "failed", ms=ms, trouble=trouble)


_UNUSED: Final = PartHealth(status="unused")
