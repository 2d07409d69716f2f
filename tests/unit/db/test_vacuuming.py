"""Passes over the tables: one at a time, shared by those who asked before it began, never by those who came during it."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from beaver.db.engine import Database
from beaver.db.vacuuming import Vacuuming
from beaver.errors import Unavailable


class Tables:
    """Stands for a database: a vacuum waits until it is let go."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.go = asyncio.Event()
        self.fails = False

    async def vacuum(self, table: str) -> None:
        self.begun.append(table)
        await self.go.wait()
        if self.fails:
            raise Unavailable("the database takes too long")


async def test_those_who_ask_during_a_pass_share_the_next() -> None:
    tables = Tables()
    vacuuming = Vacuuming(cast("Database", tables), ("a", "b"))
    first = asyncio.create_task(vacuuming.clear())
    await asyncio.sleep(0)
    assert tables.begun == ["a"]
    later = [asyncio.create_task(vacuuming.clear()) for _ in range(5)]
    tables.go.set()
    await asyncio.gather(first, *later)
    assert tables.begun == ["a", "b", "a", "b"]


async def test_a_pass_that_fails_covers_nobody() -> None:
    tables = Tables()
    tables.fails = True
    tables.go.set()
    vacuuming = Vacuuming(cast("Database", tables), ("a",))
    with pytest.raises(Unavailable):
        await vacuuming.clear()
    tables.fails = False
    await vacuuming.clear()
    assert tables.begun == ["a", "a"]
