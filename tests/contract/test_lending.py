"""A database that was lent before is like a fresh one, or it is not lent again."""

from __future__ import annotations

import asyncpg
import pytest

from tests.support.lending import Lender
from tests.support.postgres import PostgresServer

NOTED = (
    "INSERT INTO sessions (id, title, created_ms, updated_ms) VALUES ('s', '', 1, 1); SELECT nextval('events_id_seq')"
)


@pytest.fixture
def own_lender(postgres_server: PostgresServer, postgres_template: str) -> Lender:
    return Lender(postgres_server, postgres_template)


async def change(server: PostgresServer, name: str, statements: str) -> None:
    async with server.connected(name) as connection:
        await connection.execute(statements)


async def test_it_is_empty_counts_from_the_beginning_and_is_not_where_it_was(own_lender: Lender) -> None:
    server, first = own_lender.server, await own_lender.lend()
    await change(server, first, NOTED)
    async with server.connected(first):
        await own_lender.take_back(first)

    second = await own_lender.lend()
    async with server.connected(second) as connection:
        assert await connection.fetch("SELECT * FROM sessions") == []
        assert await connection.fetchval("SELECT nextval('events_id_seq')") == 1
    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await change(server, first, NOTED)
    await server.drop_database(second)


async def test_it_knows_nothing_of_what_was_stored(own_lender: Lender) -> None:
    server, first = own_lender.server, await own_lender.lend()
    await change(server, first, f"{NOTED}; ANALYZE sessions")
    await own_lender.take_back(first)

    second = await own_lender.lend()
    async with server.connected(second) as connection:
        assert await connection.fetchval("SELECT count(*) FROM pg_stats WHERE schemaname = 'public'") == 0
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
