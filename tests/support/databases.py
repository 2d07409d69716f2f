"""Empty databases for tests: migrated once, then copied (SQLite) or lent (PostgreSQL), which is much faster."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Final

from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from tests.support.lending import Lender

SESSION_MIGRATIONS: Final = "beaver.db.migrations"
MEMORY_MIGRATIONS: Final = "beaver.memory.migrations"


def put_migrated(file: Path, package: str) -> str:
    """Put an empty database with a schema there; its URL."""
    file.touch(mode=0o600)
    file.write_bytes(_migrated(package))
    return f"sqlite:///{file}"


def put_session_database(url: str) -> None:
    """Put one with the session schema where the URL points to, if that is an SQLite file which is not there yet."""
    file = Path(url.removeprefix("sqlite:///"))
    if url.startswith("sqlite:") and not file.exists():
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        put_migrated(file, SESSION_MIGRATIONS)


@cache
def _migrated(package: str) -> bytes:
    """What such a file consists of: to migrate anew takes longer than most tests."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as beside_the_loop:
        file = Path(folder) / "migrated.db"
        beside_the_loop.submit(asyncio.run, migrate(f"sqlite:///{file}", package)).result()
        return file.read_bytes()


async def migrate(url: str, package: str) -> None:
    """Bring a database to the head of a migrations package."""
    database = Database.open(url)
    try:
        await ensure_schema(database, package)
    finally:
        await database.close()


@asynccontextmanager
async def lent(lender: Lender | None, sqlite_url: str) -> AsyncIterator[str]:
    """The URL of an empty database for the length of the block: that of SQLite, or one of the lender's."""
    if lender is None:
        yield sqlite_url
        return
    name = await lender.lend()
    yield lender.server.url(name)
    await lender.take_back(name)
