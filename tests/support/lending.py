"""PostgreSQL databases lent to tests: emptied when they come back and lent again, which is a third of the work of cloning.

A test cannot tell: every lending has a name of its own, so that nobody who still has the last one's address gets in, and
a database with anything but other rows than a fresh one is dropped.
"""

from __future__ import annotations

from typing import Any, Final

import asyncpg

from tests.support.postgres import PostgresServer

_OTHERS: Final = """
FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
_END_OTHERS: Final = f"SELECT pg_terminate_backend(pid, 5000) {_OTHERS}"
_IS_ALONE: Final = f"SELECT count(*) = 0 {_OTHERS}"
# All that tests alter of a schema.
_SCHEMA: Final = """
SELECT md5(string_agg(part, E'\\n' ORDER BY part)) FROM (
  SELECT format('column %s %s %s %s', c.oid, c.relname, a.attname, a.attisdropped) AS part
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace
  UNION ALL SELECT format('constraint %s', oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT format('function %s', oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT format('trigger %s %s', oid, tgenabled) FROM pg_trigger
) AS parts
"""
_REVISIONS: Final = """
SELECT string_agg(format('SELECT version_num FROM %s', oid::regclass), ' UNION ALL ') FROM pg_class
WHERE relkind = 'r' AND relname LIKE '%alembic_version'
"""
_FILLED: Final = """
SELECT oid::regclass::text AS name, greatest(pg_relation_size(oid), pg_relation_size(nullif(reltoastrelid, 0))) AS bytes
FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT LIKE '%alembic_version'
  AND pg_relation_size(oid) > 0
"""
_FORGET_STATISTICS: Final = """
DELETE FROM pg_statistic USING pg_class
WHERE starelid = pg_class.oid AND relnamespace = 'public'::regnamespace
"""
_FORGET_SIZES: Final = """
UPDATE pg_class SET relpages = 0, reltuples = -1
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples >= 0
"""
_COUNT_ANEW: Final = """
SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) FROM pg_sequences
WHERE last_value IS NOT NULL
"""

FEW_BYTES: Final = 64 * 1024
"""Of a table's rows. More leave indexes behind that are larger than fresh ones."""

Look = tuple[str, list[str]]
"""What a database is but for its rows: a digest of its schema, and the revisions it says it has."""


class Lender:
    """The databases of one server that are like one template."""

    def __init__(self, server: PostgresServer, template: str) -> None:
        self.server = server
        self._template = template
        self._fresh: Look | None = None
        self._spare: list[str] = []

    async def lend(self) -> str:
        """The name of an empty database with the template's schema."""
        while self._spare:
            if (name := await self._renamed(self._spare.pop())) is not None:
                return name
        name = await self.server.create_database(self._template)
        if self._fresh is None:
            async with self.server.connected(name) as connection:
                self._fresh = await _look(connection)
        return name

    async def take_back(self, name: str) -> None:
        """Keep it for the next one, or drop it."""
        if await self._emptied(name):
            self._spare.append(name)
        else:
            await self.server.drop_database(name)

    async def _renamed(self, name: str) -> str | None:
        try:
            return await self.server.rename_database(name)
        except asyncpg.QueryCanceledError:
            await self.server.drop_database(name)
            return None

    async def _emptied(self, name: str) -> bool:
        async with self.server.connected(name) as connection:
            await connection.execute(_END_OTHERS)
            if not await connection.fetchval(_IS_ALONE) or await _look(connection) != self._fresh:
                return False
            await _empty(connection)
            # Plans are made by them: the next test's would be by what this one had stored.
            await connection.execute(_FORGET_STATISTICS)
            await connection.execute(_FORGET_SIZES)
            await connection.execute(_COUNT_ANEW)
        return True


async def _empty(connection: Any) -> None:
    """Of rows. To truncate makes new files for all tables that refer to the filled ones, and for their indexes: 100 ms."""
    filled = await connection.fetch(_FILLED)
    names = ", ".join(row["name"] for row in filled)
    if any(row["bytes"] > FEW_BYTES for row in filled):
        await connection.execute(f"TRUNCATE {names} CASCADE")
    elif filled:
        # Neither foreign keys nor triggers need to look: nothing is to be left.
        await connection.execute("SET session_replication_role = replica")
        for row in filled:
            await connection.execute(f"DELETE FROM {row['name']}")
        await connection.execute(f"VACUUM (INDEX_CLEANUP ON, TRUNCATE ON) {names}")


async def _look(connection: Any) -> Look:
    schema, revisions = [await connection.fetchval(each) for each in (_SCHEMA, _REVISIONS)]
    return schema, [row["version_num"] for row in await connection.fetch(revisions)] if revisions else []
