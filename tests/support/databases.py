"""Empty databases for tests: migrated once, then copied (SQLite) or lent (PostgreSQL), which is much faster."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from tests.support.lending import Lender


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
