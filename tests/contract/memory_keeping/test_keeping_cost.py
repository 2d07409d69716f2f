"""What long work costs the database a message does not grow with the memory: counted by SQLite itself, not by the clock."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path

import pytest

from beaver.memory import flushing
from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import NewObservation
from beaver.memory.portability import store
from beaver.memory.records import NewMessage
from beaver.memory.runtime import MemoryRuntime
from tests.support.memory_gateway import MORNING_MS
from tests.support.statement_work import work_of

ADA = Namespace("default", "default", "ada")
SESSION = 50
FEW = 2 * SESSION
MANY = 20 * SESSION
"""Turns of two messages."""
PAGE = 10
"""So many are handled at once: with few pages little would be looked at again."""
GROWTH_MAX = 2
SMALL = 10
"""Steps a turn that no growth counts for."""


async def grow(runtime: MemoryRuntime, turns: int) -> None:
    for first in range(0, turns, SESSION):
        await asyncio.gather(*(_add(runtime, f"chat:{first}", number) for number in range(first, first + SESSION)))
        task = NewObservation("task", f"Buy brush {first} at shop {first * 3}")
        await runtime.write_observation(ADA, task)


async def _add(runtime: MemoryRuntime, session: str, number: int) -> None:
    said = [f"Wall {number} of house {number * 7} is blue.", f"Gate {number * 3} is open."]
    await runtime.add(ADA, session, [NewMessage("user", "ada", MORNING_MS + 1000 * number, each) for each in said])


def nothing(*_: object) -> None:
    """Nobody watches the progress."""


async def export(runtime: MemoryRuntime, _turns: int) -> BytesIO:
    file = BytesIO()
    await runtime.export(ADA, file, nothing)
    file.seek(0)
    return file


async def remove_and_restore(runtime: MemoryRuntime, turns: int) -> None:
    file = await export(runtime, turns)
    await runtime.forget_user("ada")
    await runtime.create_user("ada")
    await runtime.restore(ADA, file, nothing)


async def merge_again(runtime: MemoryRuntime, turns: int) -> None:
    await runtime.merge(ADA, await export(runtime, turns), nothing)


async def list_all(runtime: MemoryRuntime, _turns: int) -> None:
    page = await runtime.list_memories(ADA)
    while page.next_cursor is not None:
        page = await runtime.list_memories(ADA, cursor=page.next_cursor)


async def flush_all(runtime: MemoryRuntime, turns: int) -> None:
    for first in range(0, turns, SESSION):
        await runtime.flush(ADA, f"chat:{first}")


@asynccontextmanager
async def grown(folder: Path, turns: int) -> AsyncIterator[MemoryRuntime]:
    url = f"sqlite:///{folder / f'{turns}.db'}"
    runtime = await MemoryRuntime.open(url, clock=lambda: MORNING_MS + 10**9)
    try:
        await runtime.create_user("ada")
        await grow(runtime, turns)
        yield runtime
    finally:
        await runtime.close()


async def cost_a_turn(
    runtime: MemoryRuntime, turns: int, act: Callable[[MemoryRuntime, int], Awaitable[object]]
) -> Counter[str]:
    """Of each statement, however many things it names."""
    work = work_of(runtime._on.database)
    await runtime._on.database.engine.dispose()  # what is connected anew is counted
    await act(runtime, turns)
    cost = Counter[str]()
    for statement, steps in work.total.items():
        cost[re.sub(r"\((\?, )*\?\)", "(…)", " ".join(statement.split()))] += steps // turns
    return cost


async def costs(folder: Path, turns: int) -> dict[str, Counter[str]]:
    async with grown(folder, turns) as runtime:
        acts = (export, merge_again, list_all, flush_all, remove_and_restore)
        return {act.__name__: await cost_a_turn(runtime, turns, act) for act in acts}


async def test_no_statement_of_long_work_looks_at_all_of_a_memory_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PAGE_ROWS", PAGE)
    monkeypatch.setattr(flushing, "TURNS_A_STEP_MAX", PAGE)
    few, many = [await costs(tmp_path, turns) for turns in (FEW, MANY)]

    grew = {
        (act, statement): (few[act][statement], cost)
        for act, work in many.items()
        for statement, cost in work.items()
        if cost > GROWTH_MAX * few[act][statement] + SMALL
    }

    assert not grew
