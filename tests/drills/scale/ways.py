"""The ways of a client: one message, sent until it is answered, over connections that break and that the client itself drops."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import httpx

from tests.drills.scale.doors import LEFT, Crashed, Doors, TryAgain

CHAT: Final = "/v1/chat/completions"


@dataclass(frozen=True)
class Message:
    """What is said, where, and under which key."""

    session_id: str
    prompt: str
    key: str

    @property
    def headers(self) -> dict[str, str]:
        """Those that name the session and the request."""
        return {"X-Beaver-Session": self.session_id, "Idempotency-Key": self.key}

    def chat(self, *, stream: bool) -> dict[str, Any]:
        """The body of a chat completion."""
        return {"messages": [{"role": "user", "content": self.prompt}], "stream": stream}


@dataclass(frozen=True)
class Answer:
    """What came of a message."""

    run_id: str
    text: str


class Way(Protocol):
    """Sends a message until it is answered."""

    __name__: str

    async def __call__(self, doors: Doors, message: Message, /) -> Answer:
        """Raises Crashed."""


async def in_one_piece(doors: Doors, message: Message) -> Answer:
    """The whole answer at once."""
    said = await doors.insist(lambda: doors.ask("POST", CHAT, message.chat(stream=False), message.headers))
    return Answer(said["id"], said["choices"][0]["message"]["content"])


async def twice_at_once(doors: Doors, message: Message) -> Answer:
    """An impatient client: the same request on two connections, which must come to the same."""
    both = await asyncio.gather(*(in_one_piece(doors, message) for _ in range(2)), return_exceptions=True)
    for outcome in both:
        if isinstance(outcome, BaseException) and not isinstance(outcome, Crashed):
            raise outcome
    first, second = both
    if isinstance(first, Answer):
        assert first == second
        return first
    assert isinstance(second, Crashed), f"one copy of the request crashed ({first}), the other came to {second}"
    raise second


async def streamed(doors: Doors, message: Message) -> Answer:
    """A stream, which the client drops in the middle once or twice; it then sends the request again."""
    drops = Drops(doors, doors.random.choice((0, 1, 2)))
    return await doors.insist(lambda: _read_chat(doors, message, drops))


async def streamed_then_followed(doors: Doors, message: Message) -> Answer:
    """A stream that the client drops once it knows the run, to go on with the run's own events."""

    async def begun() -> str:
        async with doors.opened("POST", CHAT, message.chat(stream=True), message.headers) as response:
            async for chunk in _chunks(response):
                return str(chunk["id"])
        raise TryAgain

    return await follow(doors, await doors.insist(begun))


async def started_then_followed(doors: Doors, message: Message) -> Answer:
    """A run by itself, and its events from wherever the client was."""
    path, body = f"/v1/sessions/{message.session_id}/runs", {"prompt": message.prompt}
    accepted = await doors.insist(lambda: doors.ask("POST", path, body, {"Idempotency-Key": message.key}))
    return await follow(doors, accepted["id"])


async def follow(doors: Doors, run_id: str) -> Answer:
    """A run's events to their end, over connections dropped up to three times; each goes on where the last one was."""
    followed, drops = Followed(run_id), Drops(doors, doors.random.randrange(4))

    async def attempt() -> Answer:
        resume = {"Last-Event-ID": str(followed.last)} if followed.last else {}
        async with doors.opened("GET", f"/v1/runs/{run_id}/events", headers=resume) as response:
            async for number, kind, payload in _events(response):
                ended = followed.take(number, kind, payload)
                if ended is not None:
                    return ended
                drops.perhaps()
        raise TryAgain

    return await doors.insist(attempt)


@dataclass
class Drops:
    """How often the client will yet hang up."""

    doors: Doors
    left: int

    def perhaps(self) -> None:
        """Hang up now, or not."""
        if self.left and self.doors.random.random() < 0.3:
            self.left -= 1
            raise TryAgain


@dataclass
class Followed:
    """What a run's events have told so far: each once, and none left out."""

    run_id: str
    last: int = 0
    pieces: list[str] = field(default_factory=list)
    answer: str | None = None

    def take(self, number: int, kind: str, payload: dict[str, Any]) -> Answer | None:
        """The next event; the answer where it was the last one. Raises Crashed."""
        assert number == self.last + 1, f"{self.run_id}: event {number} came after {self.last}"
        self.last = number
        if kind == "run.text":
            self.pieces.append(payload["text"])
        if kind == "run.answered":
            self.answer = payload["text"]
        return self._ended(payload) if kind == "run.ended" else None

    def _ended(self, payload: dict[str, Any]) -> Answer:
        if payload["status"] != "completed":
            assert (payload["status"], payload["error"]) in LEFT, f"{self.run_id}: {payload}"
            raise Crashed(self.run_id)
        assert self.answer is not None, f"{self.run_id} completed without an answer"
        assert self.answer.startswith("".join(self.pieces)), f"{self.run_id}: {self.pieces} for {self.answer}"
        return Answer(self.run_id, self.answer)


async def _read_chat(doors: Doors, message: Message, drops: Drops) -> Answer:
    run_id, pieces = "", []
    async with doors.opened("POST", CHAT, message.chat(stream=True), message.headers) as response:
        async for chunk in _chunks(response):
            run_id = chunk["id"] or run_id
            for choice in chunk["choices"]:
                pieces.append(choice["delta"].get("content") or "")
                if choice["finish_reason"] is not None:
                    assert choice["finish_reason"] == "stop", chunk
                    return Answer(run_id, "".join(pieces))
            drops.perhaps()
    raise TryAgain


async def _chunks(response: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    """The chunks of a chat completion. Raises Crashed for an error among them."""
    async for line in _lines(response):
        if not line.startswith("data: ") or line == "data: [DONE]":
            continue
        chunk = json.loads(line.removeprefix("data: "))
        if "error" in chunk:
            raise Crashed(str(chunk))
        yield chunk


async def _events(response: httpx.Response) -> AsyncIterator[tuple[int, str, dict[str, Any]]]:
    """The events of a run: number, kind and payload."""
    number, kind = 0, ""
    async for line in _lines(response):
        name, _, value = line.partition(": ")
        if name == "id":
            number = int(value)
        elif name == "event":
            kind = value
        elif name == "data":
            assert kind, f"an error in the middle of a run's events: {value}"
            yield number, kind, json.loads(value)
            kind = ""


async def _lines(response: httpx.Response) -> AsyncIterator[str]:
    try:
        async for line in response.aiter_lines():
            yield line
    except httpx.TransportError as error:
        raise TryAgain from error
