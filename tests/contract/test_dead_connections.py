"""Connections that PostgreSQL has closed while they rested in the pool."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.dialects.postgresql.asyncpg import AsyncAdapt_asyncpg_connection

from beaver.db import liveness
from beaver.db.engine import Database
from tests.support.postgres import PostgresServer
from tests.support.waiting import wait_until


@pytest.fixture
async def pooled(postgres_server: PostgresServer, postgres_template: str) -> AsyncIterator[Database]:
    name = await postgres_server.create_database(postgres_template)
    database = Database.open(postgres_server.url(name), pool_size=1)
    yield database
    await database.close()
    await postgres_server.drop_database(name)


@pytest.fixture
def pings(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    told: list[None] = []
    whole: Any = AsyncAdapt_asyncpg_connection.ping

    def counted(connection: Any) -> None:
        told.append(None)
        whole(connection)

    monkeypatch.setattr(AsyncAdapt_asyncpg_connection, "ping", counted)
    return told


async def backend(database: Database) -> tuple[int, Any]:
    """The pid of the server's process behind the pool's one connection, and asyncpg's end of it."""
    async with database.read() as tx:
        raw = await tx.get_raw_connection()
        return (await tx.execute(text("SELECT pg_backend_pid()"))).scalar_one(), raw.driver_connection


async def end_backend(database: Database, server: PostgresServer) -> tuple[int, Any]:
    pid, connection = await backend(database)
    other = Database.open(server.url("postgres"))
    async with other.read() as tx:
        await tx.execute(text("SELECT pg_terminate_backend(:pid, 10000)"), {"pid": pid})
    await other.close()
    return pid, connection


async def test_a_connection_seen_closed_is_replaced_without_asking(
    pooled: Database, postgres_server: PostgresServer, pings: list[None]
) -> None:
    pid, connection = await end_backend(pooled, postgres_server)

    async def closed() -> bool:
        return bool(connection.is_closed())

    await wait_until(closed)
    assert (await backend(pooled))[0] != pid
    assert pings == []


async def test_a_connection_that_has_rested_is_asked_and_replaced_when_it_does_not_answer(
    pooled: Database, postgres_server: PostgresServer, pings: list[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "RESTED_S", 0)
    pid, connection = await end_backend(pooled, postgres_server)
    # As if its end had not been noticed: a firewall that forgot the connection tells nobody.
    monkeypatch.setattr(type(connection), "is_closed", lambda _: False)
    assert (await backend(pooled))[0] != pid
    assert pings == [None]


async def test_a_connection_in_steady_use_is_not_asked(pooled: Database, pings: list[None]) -> None:
    pids = {(await backend(pooled))[0] for _ in range(5)}
    assert len(pids) == 1
    assert pings == []
