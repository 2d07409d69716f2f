"""What a turn costs the database does not grow with what is remembered already: counted by SQLite itself, not by the clock."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest

from beaver.memory.embedding import progress
from beaver.memory.observations.records import NewObservation
from beaver.memory.records import NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from tests.contract.memory.scene import ADA, SESSION
from tests.support.encoders import WordEncoder
from tests.support.memory_gateway import MORNING_MS
from tests.support.statement_work import work_of

FEW = 60
MANY = 600
"""Turns of the session; others hold twice as many messages."""
GROWTH_MAX = 2
SMALL = 200
"""Steps of an execution that no growth counts for: what an observation is compared with, up to a bound, or a deeper index."""
TURNS_MEASURED = 3
SEARCHES_TO_WARM_UP = 30
"""Each reads some word pieces for those to come, until all are held."""


class Growing:
    """Ada's memory; each message is said a second after the one before it."""

    def __init__(self, runtime: MemoryRuntime) -> None:
        self.runtime = runtime
        self._times = count(MORNING_MS, 1000)

    async def say(self, session: str, *texts: str) -> None:
        said = [NewMessage("user", "ada", next(self._times), each) for each in texts]
        await self.runtime.add(ADA, session, said)

    async def grow(self, turns: int) -> None:
        walls = (f"Wall {number} of house {number * 7} was painted in colour {number * 13}." for number in range(turns))
        await asyncio.gather(*(self.say(SESSION, wall) for wall in walls))
        for number in range(turns // 10):
            await self.say(f"chat:{number}", *(f"Gate {number} of garden {each} is open." for each in range(20)))
            task = NewObservation("task", f"Buy brush {number} at shop {number * 3}", session_id=f"chat:{number}")
            await self.runtime.write_observation(ADA, task)
        await self.runtime.flush(ADA, SESSION)
        await self.runtime.wait_until_encoded()

    async def search(self, number: int) -> None:
        await self.runtime.search(ADA, Question(f"Who painted wall {number}?", SESSION, ("all_user_memory",), 8))

    async def turn(self, number: int) -> None:
        await self.search(number)
        await self.say(SESSION, f"We decided to paint gate {number} in green.")
        await self.runtime.flush(ADA, SESSION)


@asynccontextmanager
async def remembering(url: str) -> AsyncIterator[Growing]:
    runtime = await MemoryRuntime.open(url, encoder=WordEncoder(), clock=lambda: MORNING_MS + 10**9)
    try:
        await runtime.create_user("ada")
        yield Growing(runtime)
    finally:
        await runtime.close()


async def cost_of_turns(folder: Path, turns: int) -> Counter[str]:
    """Of three turns after so many, by statement the longest execution: how often the vectors' task looks hangs on the clock."""
    async with remembering(f"sqlite:///{folder / f'{turns}.db'}") as memory:
        await memory.grow(turns)
        work = work_of(memory.runtime._on.database)
        await memory.runtime._on.database.engine.dispose()  # what is connected anew is counted
        for number in range(SEARCHES_TO_WARM_UP):
            await memory.search(number)
        work.clear()
        for number in range(TURNS_MEASURED):
            await memory.turn(number)
        return Counter(work.longest)  # without what the close looks at


async def test_no_statement_of_a_turn_looks_at_all_that_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "THOROUGH_EVERY_S", float("inf"))  # now and then all that came lately is looked at
    monkeypatch.setattr(progress, "NEAR_IDS", FEW)
    few, many = [await cost_of_turns(tmp_path, turns) for turns in (FEW, MANY)]

    grown = {
        " ".join(statement.split()): (few[statement], steps)
        for statement, steps in many.items()
        if steps > GROWTH_MAX * few[statement] + SMALL
    }

    assert not grown
