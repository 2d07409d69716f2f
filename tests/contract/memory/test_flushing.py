"""What a flush promises, on both databases: memory of what was said, once, whatever breaks in between."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from beaver.errors import DeadlineExceeded, PeerFault, Unavailable
from beaver.memory import flushing
from beaver.memory.capture.service import Capture, Captured
from beaver.memory.flushing import Flushed
from beaver.memory.forgetting.records import Forgotten
from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import NewObservation, Observation, Trust, Written
from beaver.memory.observations.service import ObservationService
from beaver.memory.records import NewMessage
from beaver.memory.runtime import MemoryRuntime
from tests.support.memory_gateway import MORNING_MS
from tests.support.memory_views import last_sessions

ADA = Namespace("default", "default", "ada")
SESSION = "chat:s"


class AnsweringModel:
    """A language model that says what it is told to, or fails as told."""

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer
        self.prompts: list[str] = []

    async def complete(self, system: str, prompt: str, *, timeout_s: float) -> str:
        self.prompts.append(prompt)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def opened(url: str, **settings: Any) -> MemoryRuntime:
    return await MemoryRuntime.open(url, clock=lambda: MORNING_MS, **settings)


async def say(runtime: MemoryRuntime, *contents: str, session: str = SESSION, role: str = "user") -> None:
    speaker = "ada" if role == "user" else "beaver"
    await runtime.add(ADA, session, [NewMessage(role, speaker, MORNING_MS, content) for content in contents])


async def remembered(runtime: MemoryRuntime) -> list[Observation]:
    return sorted((await runtime.list_observations(ADA)).observations, key=lambda one: one.title)


async def test_a_flush_remembers_what_was_said_with_its_evidence(runtime: MemoryRuntime) -> None:
    turn = await runtime.add(ADA, SESSION, [NewMessage("user", "ada", MORNING_MS, "I live in Oslo.")])

    assert await runtime.flush(ADA, SESSION) == Flushed(messages=1, captured=1)
    (learned,) = await remembered(runtime)
    assert (learned.title, learned.facts, learned.store) == ("I live in Oslo", ("lives in: Oslo",), "private")
    assert [one.message_id for one in learned.evidence] == list(turn.message_ids)
    assert learned.session_id == SESSION


async def test_a_second_flush_has_nothing_to_do(runtime: MemoryRuntime) -> None:
    await say(runtime, "I live in Oslo.")
    await runtime.flush(ADA, SESSION)

    assert await runtime.flush(ADA, SESSION) == Flushed()
    assert await runtime.flush(ADA, "chat:never") == Flushed()
    assert [one.mention_count for one in await remembered(runtime)] == [1]


async def test_the_same_said_again_is_a_second_mention(runtime: MemoryRuntime) -> None:
    for _ in range(2):
        await say(runtime, "I prefer tabs over spaces.")
        await runtime.flush(ADA, SESSION)

    assert [one.mention_count for one in await remembered(runtime)] == [2]


async def test_8_recalled_text_is_never_captured_again(runtime: MemoryRuntime) -> None:
    await say(runtime, 'Hello!\n<<<RECALLED-MEMORY a1\n[\n{"text": "x"}\n]\nI live in Oslo.\nRECALLED-MEMORY a1>>>')
    await say(runtime, "You told me that I live in Oslo.")
    await say(runtime, "I live in Oslo.", role="assistant")

    assert await runtime.flush(ADA, SESSION) == Flushed(messages=3)
    assert await remembered(runtime) == []


async def test_secrets_are_never_captured(runtime: MemoryRuntime) -> None:
    await say(runtime, "Remember that my API key is sk-live-1234567890ABCDEF.", "Remember that my PIN is 4821.")
    await runtime.flush(ADA, SESSION)

    assert await remembered(runtime) == []


async def test_2_what_was_forgotten_is_not_captured_again(runtime: MemoryRuntime) -> None:
    await say(runtime, "I live in Oslo.")
    await runtime.flush(ADA, SESSION)
    (learned,) = await remembered(runtime)
    await runtime.forget_memory(ADA, learned.id)
    await say(runtime, "I live in Oslo.")
    await runtime.flush(ADA, SESSION)

    assert await remembered(runtime) == []


async def test_many_turns_are_flushed_in_steps(runtime: MemoryRuntime) -> None:
    for number in range(66):
        await say(runtime, f"Remember that box {number} holds lamps.")

    assert await runtime.flush(ADA, SESSION) == Flushed(66, 66)
    assert len((await runtime.list_observations(ADA, limit=200)).observations) == 66


async def test_flushes_and_adds_of_one_session_at_once_lose_and_double_nothing(memory_url: str) -> None:
    """Two runtimes stand for two processes."""
    one, other = await opened(memory_url), await opened(memory_url)
    try:
        await one.create_user("ada")

        async def add(number: int) -> Flushed:
            await say(one, f"Remember that box {number} holds lamps.")
            return Flushed()

        done = await asyncio.gather(
            *(act for number in range(8) for act in (add(number), one.flush(ADA, SESSION), other.flush(ADA, SESSION)))
        )
        rest = [await one.flush(ADA, SESSION)]
        assert sum(flushed.messages for flushed in (*done, *rest)) == 8
        assert [learned.mention_count for learned in await remembered(one)] == [1] * 8
    finally:
        await one.close()
        await other.close()


async def test_what_is_added_during_a_flush_waits_for_the_next_one(
    runtime: MemoryRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = Capture.capture
    late = ["I work as a nurse."]

    async def and_a_turn_comes(self: Capture, *asked: Any) -> Captured:
        if late:
            await say(runtime, late.pop())
        return await capture(self, *asked)

    monkeypatch.setattr(Capture, "capture", and_a_turn_comes)
    await say(runtime, "I live in Oslo.")

    assert await runtime.flush(ADA, SESSION) == Flushed(1, 1)
    assert [one.title for one in await remembered(runtime)] == ["I live in Oslo"]
    assert await runtime.flush(ADA, SESSION) == Flushed(1, 1)


@pytest.mark.parametrize("forget", ["the message", "the session"])
async def test_what_is_forgotten_while_a_flush_is_under_way_is_not_captured(
    runtime: MemoryRuntime, monkeypatch: pytest.MonkeyPatch, forget: str
) -> None:
    turn = await runtime.add(
        ADA,
        SESSION,
        [NewMessage("user", "ada", MORNING_MS, said) for said in ("I live in Oslo.", "I work as a nurse.")],
    )
    capture, forgotten = Capture.capture, list[Forgotten]()

    async def and_then_forget(self: Capture, *asked: Any) -> Captured:
        found = await capture(self, *asked)
        if not forgotten:
            of_message = forget == "the message"
            first = turn.message_ids[0]
            forgotten.append(
                await (runtime.forget_memory(ADA, first) if of_message else runtime.forget_session(ADA, SESSION))
            )
        return found

    monkeypatch.setattr(Capture, "capture", and_then_forget)

    flushed = await runtime.flush(ADA, SESSION)

    kept = ["I work as a nurse"] if forget == "the message" else []
    assert [one.title for one in await remembered(runtime)] == kept
    assert flushed == Flushed(messages=len(kept), captured=len(kept))
    assert await runtime.flush(ADA, SESSION) == Flushed()


async def _fail(*_arguments: object, **_named: object) -> Any:
    raise Unavailable("broken off")


def _fail_at_the_second_write() -> Callable[..., Awaitable[Written]]:
    calls = iter(range(100))
    write = ObservationService.write

    async def counted(self: ObservationService, namespace: Namespace, new: NewObservation, trust: Trust) -> Written:
        if next(calls) == 1:
            raise Unavailable("broken off")
        return await write(self, namespace, new, trust)

    return counted


@pytest.mark.parametrize("step", ["the first write", "the second write", "the summary", "the mark"])
async def test_6_a_flush_that_breaks_off_is_taken_up_without_doubling(
    runtime: MemoryRuntime, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    await say(runtime, "I live in Oslo.", "I prefer tabs over spaces.", "We decided to use PostgreSQL.")
    with monkeypatch.context() as broken:
        match step:
            case "the first write":
                broken.setattr(ObservationService, "write", _fail)
            case "the second write":
                broken.setattr(ObservationService, "write", _fail_at_the_second_write())
            case "the summary":
                broken.setattr(flushing, "summarise", _fail)
            case _:
                broken.setattr(flushing, "mark_flushed", _fail)
        with pytest.raises(Unavailable):
            await runtime.flush(ADA, SESSION)

    assert (await runtime.flush(ADA, SESSION)).messages == 3
    assert [one.mention_count for one in await remembered(runtime)] == [1, 1, 1]
    assert [one["observations"] for one in await last_sessions(runtime, ADA)] == [3]


_FLUSHES_UNTIL_KILLED = """
import asyncio, sys
from beaver.memory.flushing import FlushService
from beaver.memory.namespace import Namespace
from beaver.memory.runtime import MemoryRuntime

async def hang(*_):
    print("before the mark", flush=True)
    await asyncio.Event().wait()

async def main(url):
    FlushService._close = hang
    runtime = await MemoryRuntime.open(url)
    await runtime.flush(Namespace("default", "default", "ada"), "chat:s")

asyncio.run(main(sys.argv[1]))
"""


async def until_the_mark(output: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The lines up to the one that says so; log lines may stand before it."""
    async for line in output:
        yield line
        if line == b"before the mark\n":
            return


async def test_6_a_flush_that_is_killed_is_taken_up_without_doubling(memory_sqlite_url: str) -> None:
    first = await opened(memory_sqlite_url)
    await first.create_user("ada")
    await say(first, "I live in Oslo.", "I prefer tabs over spaces.")
    await first.close()
    flushing = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _FLUSHES_UNTIL_KILLED, memory_sqlite_url, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert flushing.stdout is not None
        said = [line async for line in until_the_mark(flushing.stdout)]
        assert said[-1] == b"before the mark\n"
    finally:
        flushing.kill()
        await flushing.wait()

    second = await opened(memory_sqlite_url)
    try:
        assert [one.mention_count for one in await remembered(second)] == [1, 1]
        assert (await second.flush(ADA, SESSION)).messages == 2
        assert [one.mention_count for one in await remembered(second)] == [1, 1]
        assert await second.flush(ADA, SESSION) == Flushed()
    finally:
        await second.close()


@pytest.mark.parametrize(
    "fault", [Unavailable("down"), DeadlineExceeded("late"), PeerFault("no"), "no JSON", '{"title": "no list"}']
)
async def test_a_fault_of_the_model_never_fails_a_flush(memory_url: str, fault: str | Exception) -> None:
    runtime = await opened(memory_url, model=AnsweringModel(fault))
    try:
        await runtime.create_user("ada")
        await say(runtime, "I live in Oslo.")
        assert await runtime.flush(ADA, SESSION) == Flushed(1, 1)
        assert [one.title for one in await remembered(runtime)] == ["I live in Oslo"]
    finally:
        await runtime.close()


async def test_a_model_captures_where_there_is_one(memory_url: str) -> None:
    row = {"title": "Ada is training for a marathon", "facts": ["runs on Sundays"], "type": "event", "lines": [1]}
    model = AnsweringModel(json.dumps([row, {"title": 7}]))
    runtime = await opened(memory_url, model=model)
    try:
        await runtime.create_user("ada")
        await say(runtime, "The marathon is in May, so Sundays are for running.")
        assert await runtime.flush(ADA, SESSION) == Flushed(1, 1)
        (learned,) = await remembered(runtime)
        assert (learned.title, learned.type, learned.store) == (row["title"], "event", "private")
        assert "Sundays" in model.prompts[0]
    finally:
        await runtime.close()
