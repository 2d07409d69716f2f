"""Conversations that were taken over are learned from, each session once, on both databases."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest

from beaver.errors import Unavailable
from beaver.memory.flushing import Flushed, FlushService
from beaver.memory.portability.learning import FAILURES_IN_A_ROW_MAX, FailedSession, Learned
from beaver.memory.runtime import MemoryRuntime
from tests.contract.memory.scene import ADA
from tests.contract.memory_keeping.test_taking_over import CURATED, MEM0
from tests.support.memory_gateway import MORNING_MS

TOWNS = {
    "old:1": "Remember that box 1 holds lamps.",
    "old:2": "Remember that box 2 holds cups.",
    "old:3": "Hello there.",
}


def conversations(said: dict[str, str]) -> str:
    """A message a session, said a minute after the one before."""
    lines = (
        {"session_id": session_id, "role": "user", "timestamp": MORNING_MS - 10**9 + 60_000 * number, "content": words}
        for number, (session_id, words) in enumerate(said.items())
    )
    return "\n".join(map(json.dumps, lines))


async def learn(runtime: MemoryRuntime, text: str, shape: str = "conversations") -> Learned:
    await runtime.take_over(ADA, BytesIO(text.encode()), shape, lambda _done, _total: None)
    return await runtime.learn_from(ADA, BytesIO(text.encode()), shape, lambda _done, _total: None)


async def titles(runtime: MemoryRuntime) -> set[str]:
    return {one.title for one in (await runtime.list_observations(ADA, limit=100)).observations}


async def test_each_session_is_learned_from_and_a_repetition_learns_nothing(runtime: MemoryRuntime) -> None:
    text = conversations(TOWNS)
    assert await learn(runtime, text) == Learned(3, 2)
    assert await titles(runtime) == {"box 1 holds lamps", "box 2 holds cups"}

    assert await learn(runtime, text) == Learned(3, 0)
    assert [one.mention_count for one in (await runtime.list_observations(ADA)).observations] == [1, 1]


async def test_what_the_messages_ask_to_forget_is_taken_back_whichever_session_comes_first(
    runtime: MemoryRuntime,
) -> None:
    said = {"old:1": "I live in Paris.", "old:2": "Forget that I live in Paris."}
    lines = conversations(said).split("\n")

    assert await learn(runtime, "\n".join(lines[::-1])) == Learned(2, 0)
    assert await titles(runtime) == set()
    assert await learn(
        runtime, conversations({"new:1": "I live in Oslo.", "new:2": "Forget that I live in Oslo."})
    ) == (Learned(2, 1, 1))


@pytest.mark.parametrize(("text", "shape"), [(CURATED, "curated"), (MEM0, "mem0")])
async def test_what_holds_no_messages_has_no_sessions(runtime: MemoryRuntime, text: str, shape: str) -> None:
    assert await learn(runtime, text, shape) == Learned()
    assert await titles(runtime)


async def test_the_messages_of_everos_are_learned_from(runtime: MemoryRuntime) -> None:
    said = {"role": "user", "sender_id": "ada", "timestamp": MORNING_MS, "content": "Remember that box 1 holds lamps."}
    body = json.dumps({"session_id": "s1", "messages": [said]})
    assert await learn(runtime, body, "everos") == Learned(1, 1)


async def test_an_import_that_broke_off_while_learning_goes_on(runtime: MemoryRuntime) -> None:
    text = conversations(TOWNS)
    await runtime.take_over(ADA, BytesIO(text.encode()), "conversations", lambda _done, _total: None)
    told = list[tuple[int, int]]()

    def break_off(done: int, total: int) -> None:
        told.append((done, total))
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await runtime.learn_from(ADA, BytesIO(text.encode()), "conversations", break_off)
    assert told == [(1, 3)]
    assert await learn(runtime, text) == Learned(3, 1)
    assert await titles(runtime) == {"box 1 holds lamps", "box 2 holds cups"}


async def test_a_session_that_fails_is_told_and_costs_no_other(
    runtime: MemoryRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    flush = FlushService.flush

    async def but_one(self: FlushService, namespace: Any, session_id: str) -> Flushed:
        if session_id == "old:1":
            raise Unavailable("not now")
        return await flush(self, namespace, session_id)

    with monkeypatch.context() as broken:
        broken.setattr(FlushService, "flush", but_one)
        learned = await learn(runtime, conversations(TOWNS))
    assert learned == Learned(2, 1, failed=(FailedSession("old:1", "unavailable"),))
    assert await learn(runtime, conversations(TOWNS)) == Learned(3, 1)


async def test_where_all_fail_it_is_not_tried_without_end(
    runtime: MemoryRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_self: FlushService, _namespace: Any, _session_id: str) -> Flushed:
        raise Unavailable("not now")

    monkeypatch.setattr(FlushService, "flush", never)
    learned = await learn(runtime, conversations({f"old:{number}": "Hello there." for number in range(30)}))
    assert (len(learned.failed), learned.left) == (FAILURES_IN_A_ROW_MAX, 30 - FAILURES_IN_A_ROW_MAX)
