"""A merge while others use the database: what takes long is done before they have to wait, and only for what is new."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from io import BytesIO

import pytest

from beaver.memory.portability import writing
from beaver.memory.portability.merging import Merged
from beaver.memory.records import NewMessage, Question
from beaver.memory.retrieval.chunking import IndexedSpan
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.transcripts.turns import passages_of_turn
from tests.contract.memory_keeping.restoring_scene import ADA, BOB, CANARY, TURNS, unwatched
from tests.support.memory_gateway import MORNING_MS

Spans = tuple[tuple[IndexedSpan, ...], ...]


class HeldCutting:
    """In place of what cuts turns into passages: counts them, and stands still at the second until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.turns = 0
        self.reached, self.go = threading.Event(), threading.Event()
        self._cut = passages_of_turn
        monkeypatch.setattr(writing, "passages_of_turn", self)

    def __call__(self, messages: Sequence[NewMessage], user_id: str) -> Spans:
        self.turns += 1
        if self.turns == 2:
            self.reached.set()
            self.go.wait()
        return self._cut(messages, user_id)


@pytest.fixture
def cutting(monkeypatch: pytest.MonkeyPatch) -> HeldCutting:
    return HeldCutting(monkeypatch)


@asynccontextmanager
async def held_merge(
    runtime: MemoryRuntime, whole: bytes, cutting: HeldCutting
) -> AsyncIterator[tuple[HeldCutting, asyncio.Task[Merged]]]:
    """A merge that stands still in the midst of working out what searches shall find, until it is let go."""
    task = asyncio.create_task(runtime.merge(ADA, BytesIO(whole), unwatched))
    await asyncio.to_thread(cutting.reached.wait)
    try:
        yield cutting, task
    finally:
        cutting.go.set()
        await asyncio.gather(task, return_exceptions=True)


async def test_others_write_while_a_merge_works_out_what_searches_shall_find(
    restoring: MemoryRuntime, serving: MemoryRuntime, whole: bytes, cutting: HeldCutting
) -> None:
    await serving.add(ADA, "chat:now", [NewMessage("user", "ada", MORNING_MS, "said before")])
    async with held_merge(restoring, whole, cutting) as (held, task):
        for namespace in (ADA, BOB):
            await serving.add(namespace, "chat:now", [NewMessage("user", namespace.user_id, MORNING_MS, "said now")])
        held.go.set()
        assert (await task).changed == whole.count(b"\n") - 2


async def test_what_became_known_or_was_forgotten_meanwhile_is_known_or_forgotten_to_the_merge(
    restoring: MemoryRuntime, serving: MemoryRuntime, whole: bytes, cutting: HeldCutting
) -> None:
    async with held_merge(restoring, whole, cutting) as (held, task):
        there = await serving.merge(ADA, BytesIO(whole), unwatched)
        await serving.forget_session(ADA, "chat:0")
        held.go.set()
        merged = await task
    assert there.changed + there.unchanged == whole.count(b"\n") - 2
    assert there.changed
    assert merged.left_out == TURNS // 2 - 1  # the first of them was merged before that
    assert await serving.search(ADA, Question(CANARY, "chat:0", ("current_chat",), 50)) == []


async def test_nothing_is_worked_out_of_what_is_known(
    restoring: MemoryRuntime, whole: bytes, cutting: HeldCutting
) -> None:
    cutting.go.set()
    await restoring.merge(ADA, BytesIO(whole), unwatched)
    assert cutting.turns == TURNS
    assert (await restoring.merge(ADA, BytesIO(whole), unwatched)).changed == 0
    assert cutting.turns == TURNS
