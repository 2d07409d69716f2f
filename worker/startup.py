"""What a worker does before its first job: logs through the redactor, and patience with parts that are not there yet."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from beaver.config.settings import Settings
from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from beaver.errors import Unavailable
from beaver.logs import configure_logs, get_logger
from beaver.redaction import Redactor

WAIT_S_FIRST: Final = 0.2
WAIT_S_MAX: Final = 10.0


def worker_logs(settings: Settings) -> None:
    """Every line of this process through the redactor; arq's own handlers, which would print past it, are dropped."""
    configure_logs("worker", Redactor(settings.secrets()))
    logging.getLogger("arq").handlers.clear()


async def ready_ledger(database: Database, stop: asyncio.Event) -> bool:
    """Wait until the session database serves and has this release's schema; False when stopped before that."""
    for wait_s in waits():
        try:
            await ensure_schema(database, "beaver.db.migrations")
        except Unavailable as error:
            get_logger().warning("worker.waiting", part="session database", reason=str(error), retry_s=round(wait_s, 1))
        else:
            return True
        if await stopped_within(stop, wait_s):
            break
    return False


def waits() -> Iterator[float]:
    """Seconds to wait, twice as long each time up to a bound, with jitter; endless."""
    wait_s = WAIT_S_FIRST
    while True:
        yield wait_s * random.uniform(0.75, 1.25)  # noqa: S311 - jitter, not a secret
        wait_s = min(wait_s * 2, WAIT_S_MAX)


async def stopped_within(stop: asyncio.Event, seconds: float) -> bool:
    """Wait that long, or less if told to stop; whether told to."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stop.wait()
    return stop.is_set()
