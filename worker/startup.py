"""What a worker does before its first job: logs through the redactor, and patience with parts that are not there yet."""

from __future__ import annotations

import asyncio
import logging
import os
import random
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from beaver.config.loader import load_settings
from beaver.config.paths import InstancePaths
from beaver.config.settings import Settings
from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from beaver.errors import ConfigError, Unavailable
from beaver.logs import configure_logs, get_logger
from beaver.redaction import Redactor

WAIT_S_FIRST: Final = 0.2
WAIT_S_MAX: Final = 10.0


def worker_settings(root: Path) -> Settings:
    """The instance's settings. Raises ConfigError, also where the driver of its database is not installed."""
    settings = load_settings(InstancePaths.at(root), os.environ)
    if not settings.sessions_url.startswith("sqlite:") and find_spec("asyncpg") is None:
        raise ConfigError("sessions.databaseUrl", "needs the extra `postgres`: install beaver-agent[postgres]")
    return settings


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
