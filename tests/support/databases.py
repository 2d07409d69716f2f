"""Empty databases for tests: migrated once, then copied (SQLite) or cloned (PostgreSQL), which is much faster."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from tests.support.postgres import PostgresServer

ToClone = tuple[PostgresServer, str] | None
"""A PostgreSQL server and the database to clone there; None for SQLite."""


async def migrate(url: str, package: str) -> None:
    """Bring a database to the head of a migrations package."""
    database = Database.open(url)
    try:
        await ensure_schema(database, package)
    finally:
        await database.close()


@asynccontextmanager
async def cloned(to_clone: ToClone, sqlite_url: str) -> AsyncIterator[str]:
    """The URL of an empty database for the length of the block: that of SQLite, or a clone of PostgreSQL's."""
    if to_clone is None:
        yield sqlite_url
        return
    server, template = to_clone
    name = await server.create_database(template)
    yield server.url(name)
    await server.drop_database(name)
