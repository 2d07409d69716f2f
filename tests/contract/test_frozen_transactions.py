"""A process that stands still inside a transaction holds its locks for a bounded time only; PostgreSQL sees to that."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import text

from beaver.db import engine
from beaver.db.engine import Database
from beaver.errors import Unavailable
from tests.support.postgres import PostgresServer

BRIEF_MS = 300


async def test_the_locks_of_a_transaction_that_stands_still_are_taken_from_it_and_it_writes_nothing(
    postgres_server: PostgresServer, postgres_template: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "IDLE_IN_TRANSACTION_MS", BRIEF_MS)
    name = await postgres_server.create_database(postgres_template)
    frozen, other = Database.open(postgres_server.url(name)), Database.open(postgres_server.url(name))
    async with other.write() as tx:
        await tx.execute(text("INSERT INTO sessions (id, created_ms, updated_ms) VALUES ('s1', 1, 1)"))
    waiting = asyncio.Event()

    async def stand_still() -> None:
        async with frozen.write() as tx:
            await tx.execute(text("UPDATE sessions SET title = 'frozen'"))
            waiting.set()
            await written.wait()

    written = asyncio.Event()
    standing = asyncio.create_task(stand_still())
    await waiting.wait()
    async with asyncio.timeout(20), other.write() as tx:
        await tx.execute(text("UPDATE sessions SET title = 'other'"))
    written.set()
    with pytest.raises(Unavailable):
        await standing
    async with other.read() as tx:
        assert (await tx.execute(text("SELECT title FROM sessions"))).scalar_one() == "other"
    await frozen.close()
    await other.close()
    await postgres_server.drop_database(name)
