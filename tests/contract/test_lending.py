"""A database that was lent before is like a fresh one, or it is not lent again."""

from __future__ import annotations

import asyncpg
import pytest

from tests.support.lending import Lender
from tests.support.postgres import PostgresServer

NOTED = (
    "INSERT INTO sessions (id, title, created_ms, updated_ms) VALUES ('s', '', 1, 1); SELECT nextval('events_id_seq')"
)

# A table of few rows is emptied otherwise than one of many.
MANY = "INSERT INTO sessions (id, title, created_ms, updated_ms) SELECT 'm' || i, '', i, i FROM generate_series(1, 2000) AS t(i)"
few_or_many = pytest.mark.parametrize("stored", [NOTED, f"{NOTED}; {MANY}"], ids=["few", "many"])
SIZES = """
SELECT relname, relpages, reltuples, pg_relation_size(oid) FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'alembic_version' ORDER BY relname
"""


@pytest.fixture
def own_lender(postgres_server: PostgresServer, postgres_template: str) -> Lender:
    return Lender(postgres_server, postgres_template)


async def change(server: PostgresServer, name: str, statements: str) -> None:
    async with server.connected(name) as connection:
        await connection.execute(statements)


@few_or_many
async def test_it_is_empty_counts_from_the_beginning_and_is_not_where_it_was(own_lender: Lender, stored: str) -> None:
    server, first = own_lender.server, await own_lender.lend()
    await change(server, first, stored)
    async with server.connected(first):
        await own_lender.take_back(first)

    second = await own_lender.lend()
    async with server.connected(second) as connection:
        assert await connection.fetch("SELECT * FROM sessions") == []
        assert await connection.fetchval("SELECT nextval('events_id_seq')") == 1
    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await change(server, first, NOTED)
    await server.drop_database(second)


@few_or_many
async def test_it_knows_nothing_of_what_was_stored(own_lender: Lender, stored: str) -> None:
    server, first = own_lender.server, await own_lender.lend()
    async with server.connected(first) as connection:
        fresh = await connection.fetch(SIZES)
    await change(server, first, f"{stored}; ANALYZE sessions")
    await own_lender.take_back(first)

    second = await own_lender.lend()
    async with server.connected(second) as connection:
        assert await connection.fetchval("SELECT count(*) FROM pg_stats WHERE schemaname = 'public'") == 0
        assert await connection.fetch(SIZES) == fresh
        [counted] = await connection.fetch("SELECT relpages, reltuples FROM pg_class WHERE relname = 'sessions'")
        assert tuple(counted) == (0, -1)
    await server.drop_database(second)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE sessions ADD further INTEGER",
        "DROP INDEX ix_events_run_id",
        "UPDATE alembic_version SET version_num = 'newer'",
        "CREATE FUNCTION one() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    ],
)
async def test_one_with_another_schema_is_gone(own_lender: Lender, statement: str) -> None:
    server, name = own_lender.server, await own_lender.lend()
    await change(server, name, statement)
    await own_lender.take_back(name)

    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await change(server, name, NOTED)


async def test_one_that_somebody_came_back_to_is_gone(own_lender: Lender) -> None:
    server, name = own_lender.server, await own_lender.lend()
    await own_lender.take_back(name)
    async with server.connected(name):
        other = await own_lender.lend()

    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await change(server, name, NOTED)
    await change(server, other, NOTED)
    await server.drop_database(other)
