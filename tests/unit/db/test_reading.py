"""Reading through the door: one state for a transaction, each its own for what is read apart; nothing is kept or left open."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import event, insert, select

from beaver.db.engine import Database
from beaver.db.tables import sessions
from tests.unit.db.rows import a_row, row_ids, write_row


async def test_an_os_error_of_a_reading_body_passes_through(database: Database) -> None:
    raised = ConnectionResetError("mine")

    with pytest.raises(ConnectionResetError) as caught:
        async with database.read():
            raise raised

    assert caught.value is raised


async def test_what_a_read_writes_is_never_kept(database: Database) -> None:
    async with database.read() as tx:
        await tx.execute(insert(sessions).values(**a_row("a")))

    assert await row_ids(database) == []


async def test_readers_see_one_state_while_a_writer_works(database: Database) -> None:
    async with database.write() as tx:
        await tx.execute(insert(sessions).values(**a_row("a")))
        assert await row_ids(database) == []

    assert await row_ids(database) == ["a"]


async def test_a_reader_sees_what_stood_at_its_first_look_to_its_end(database: Database) -> None:
    await write_row(database, "a")
    async with database.read() as tx:
        assert (await tx.scalars(select(sessions.c.id))).all() == ["a"]
        await write_row(database, "b")
        assert (await tx.scalars(select(sessions.c.id))).all() == ["a"]

    assert sorted(await row_ids(database)) == ["a", "b"]


async def test_what_is_read_apart_takes_one_trip_and_sees_what_is_written_meanwhile(database: Database) -> None:
    await write_row(database, "a")
    said: list[str] = []
    event.listen(database.engine.sync_engine, "before_cursor_execute", lambda *execution: said.append(execution[2]))
    async with database.read_apart() as tx:
        assert (await tx.scalars(select(sessions.c.id))).all() == ["a"]
        assert [each.split()[0] for each in said] == ["SELECT"]
        await write_row(database, "b")
        assert sorted((await tx.scalars(select(sessions.c.id))).all()) == ["a", "b"]

    await write_row(database, "c")
    assert await row_ids(database) == ["a", "b", "c"]


async def test_a_read_apart_that_is_cancelled_gives_back_its_connection(database: Database) -> None:
    for number in range(20):  # more often than there are connections
        read = asyncio.Event()
        task = asyncio.create_task(_read_apart_and_hang(database, read))
        if number % 2:
            await read.wait()
        else:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    await write_row(database, "a")
    assert await row_ids(database) == ["a"]


async def _read_apart_and_hang(database: Database, read: asyncio.Event) -> None:
    async with database.read_apart() as tx:
        await tx.execute(select(sessions.c.id))
        read.set()
        await asyncio.Event().wait()
