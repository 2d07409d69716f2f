"""How many rows PostgreSQL reads of each table for some work: its own count, the same on every machine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sqlalchemy import text

from beaver.db.engine import Database
from tests.support.waiting import wait_until

_READ = "SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables"
_OTHERS = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
)


async def rows_read(
    url: str, disconnect: Callable[[], Awaitable[object]], work: Callable[[], Awaitable[object]]
) -> Mapping[str, int]:
    """By table, one by one or by an index. A connection's reads are counted when it ends: `disconnect` ends all of the work's."""
    await _told(url, disconnect, "SELECT pg_stat_reset()")
    await work()
    return dict(await _told(url, disconnect, _READ))


async def analyse(database: Database) -> None:
    """Let PostgreSQL count what there is, as its own housekeeping does."""
    async with database.write() as tx:
        await tx.execute(text("ANALYZE"))


async def _told(url: str, disconnect: Callable[[], Awaitable[object]], asked: str) -> list[Any]:
    """By the only connection that is left."""
    alone = Database.open(url)

    async def others_are_gone() -> bool:
        await disconnect()
        async with alone.read() as tx:
            # One that was in use just now, by what goes on beside the work, is of no pool any more.
            return bool(await tx.scalar(text(_OTHERS)) == 0)

    try:
        await wait_until(others_are_gone, what="the end of all other connections")
        async with alone.write() as tx:
            return [tuple(row) for row in await tx.execute(text(asked))]
    finally:
        await alone.close()
