"""How many rows PostgreSQL reads of each table for some work: its own count, the same on every machine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

from sqlalchemy import text
from sqlalchemy.util import greenlet_spawn

from beaver.db.engine import Database
from tests.support.waiting import wait_until

_READ = "SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables"
_OTHERS = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
)


async def rows_read(
    url: str, databases: Collection[Database], work: Callable[[], Awaitable[object]]
) -> Mapping[str, int]:
    """By table, one by one or by an index. A connection's reads are counted when it ends: all of these databases' end for it."""
    await _told(url, databases, "SELECT pg_stat_reset()")
    await work()
    return dict(await _told(url, databases, _READ))


async def analyse(database: Database) -> None:
    """Let PostgreSQL count what there is, as its own housekeeping does."""
    async with database.write() as tx:
        await tx.execute(text("ANALYZE"))


async def _told(url: str, databases: Collection[Database], asked: str) -> list[Any]:
    """By the only connection that is left."""
    alone, pools = Database.open(url), [database.engine.sync_engine.pool for database in databases]

    async def others_are_gone() -> bool:
        for database in databases:
            await database.engine.dispose()
            pools.append(database.engine.sync_engine.pool)
        # What was in use just now, by what goes on beside the work, comes back to the pool that it was of.
        for pool in pools:
            await greenlet_spawn(pool.dispose)
        async with alone.read() as tx:
            return bool(await tx.scalar(text(_OTHERS)) == 0)

    try:
        await wait_until(others_are_gone, what="the end of all other connections")
        async with alone.write() as tx:
            return [tuple(row) for row in await tx.execute(text(asked))]
    finally:
        await alone.close()
