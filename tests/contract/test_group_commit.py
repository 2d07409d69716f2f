"""Asks that wait together are committed together, and a fault stays with the one whose it is; on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from sqlalchemy import text

from beaver.db.engine import Database, Transaction
from beaver.db.group_commit import GroupCommit
from beaver.errors import Unavailable


class Notes:
    """A writer of numbers that remembers its groups, and what it was told to choke on."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.groups: list[list[int]] = []
        self.faults: dict[int, Exception] = {}
        self.commit: GroupCommit[int, int] = GroupCommit(database, self._write, at_most=4)

    async def _write(self, tx: Transaction, asks: Sequence[int]) -> list[int]:
        self.groups.append(list(asks))
        for ask in asks:
            await tx.execute(text("INSERT INTO notes VALUES (:note)"), {"note": ask})
            if ask in self.faults:
                raise self.faults[ask]
        return [ask * 10 for ask in asks]

    async def kept(self) -> list[int]:
        async with self.database.read() as tx:
            return list((await tx.execute(text("SELECT note FROM notes ORDER BY note"))).scalars())


@pytest.fixture
async def notes(database: Database) -> Notes:
    async with database.write() as tx:
        await tx.execute(text("CREATE TABLE notes (note BIGINT PRIMARY KEY)"))
    return Notes(database)


async def test_asks_that_wait_together_share_a_transaction_and_each_gets_its_own_answer(notes: Notes) -> None:
    assert await asyncio.gather(*(notes.commit.ask(number) for number in range(6))) == [0, 10, 20, 30, 40, 50]
    assert notes.groups == [[0, 1, 2, 3], [4, 5]]
    assert await notes.kept() == [0, 1, 2, 3, 4, 5]


async def test_an_ask_that_is_alone_is_written_at_once(notes: Notes) -> None:
    assert [await notes.commit.ask(1), await notes.commit.ask(2)] == [10, 20]
    assert notes.groups == [[1], [2]]


async def test_a_fault_of_one_ask_takes_no_other_with_it(notes: Notes) -> None:
    notes.faults[2] = ValueError("cannot be written")
    answers = await asyncio.gather(*(notes.commit.ask(number) for number in range(4)), return_exceptions=True)
    assert [answers[0], answers[1], answers[3]] == [0, 10, 30]
    assert isinstance(answers[2], ValueError)
    assert await notes.kept() == [0, 1, 3]


async def test_a_database_that_cannot_serve_fails_the_whole_group_without_trying_each(notes: Notes) -> None:
    notes.faults[1] = Unavailable("the database cannot serve (planted)")
    answers = await asyncio.gather(*(notes.commit.ask(number) for number in range(3)), return_exceptions=True)
    assert [type(answer) for answer in answers] == [Unavailable] * 3
    assert (notes.groups, await notes.kept()) == ([[0, 1, 2]], [])
    notes.faults.clear()
    assert await notes.commit.ask(7) == 70


async def test_an_ask_cancelled_before_its_turn_is_left_out(notes: Notes) -> None:
    asked = [asyncio.ensure_future(notes.commit.ask(number)) for number in range(3)]
    await asyncio.sleep(0)
    asked[1].cancel()
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert (answers[0], answers[2]) == (0, 20)
    assert isinstance(answers[1], asyncio.CancelledError)
    assert await notes.kept() == [0, 2]
