"""The OpenAI provider against a server on a real socket, as a local model's server is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from beaver.agent.messages import Completion, PromptMessage, ProviderRequest, TextDelta, ToolCall, Usage
from beaver.agent.providers.openai import OpenAIProvider
from beaver.errors import DeadlineExceeded, PeerFault, Unavailable
from tests.support.model_wires import OpenAIWire, openai_chunk

Speak = Callable[[asyncio.StreamWriter], Awaitable[None]]
ASKING = ProviderRequest((PromptMessage("user", "hi", "prompt"),), output_tokens_max=5)
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


class Loopback:
    """A server for one connection after another: reads a request, lets `speak` answer, notes when the client is gone."""

    def __init__(self, speak: Speak) -> None:
        self.speak = speak
        self.heads: list[str] = []
        self.bodies: list[dict[str, object]] = []
        self.client_gone = asyncio.Event()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.split("content-length:")[1].split("\r\n")[0])
        self.heads.append(head)
        self.bodies.append(json.loads(await reader.readexactly(length)))
        await self.speak(writer)
        if await reader.read() == b"":
            self.client_gone.set()
        writer.close()


@asynccontextmanager
async def provider_of(
    speak: Speak, monkeypatch: pytest.MonkeyPatch, timeout_s: float = 5
) -> AsyncIterator[tuple[OpenAIProvider, Loopback]]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    loopback = Loopback(speak)
    server = await asyncio.start_server(loopback.answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    base_url = f"http://127.0.0.1:{port}/v1"
    provider = OpenAIProvider(model="local", api_key=None, base_url=base_url, timeout_s=timeout_s)
    try:
        yield provider, loopback
    finally:
        await provider.aclose()
        server.close()
        await server.wait_closed()


async def send(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


async def test_a_local_server_is_reached_by_its_base_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-host")
    data = OpenAIWire().answer(["Grüße ", "小黑"])

    async def speak(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for start in range(0, len(data), 10):
            await send(writer, data[start : start + 10])
        writer.write(b"0\r\n\r\n")

    async with provider_of(speak, monkeypatch) as (provider, loopback):
        pieces = [piece async for piece in provider.stream(ASKING)]
        assert pieces == [
            TextDelta("Grüße "),
            TextDelta("小黑"),
            Completion("Grüße 小黑", (), Usage(11, 7), "stop"),
        ]
        assert loopback.heads[0].startswith("post /v1/chat/completions ")
        assert "sk-of-another-host" not in loopback.heads[0]
        assert loopback.bodies[0]["max_tokens"] == 5


async def test_a_local_server_that_stalls_is_left_at_the_idle_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    async def speak(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        await send(writer, OpenAIWire().answer(["first "])[:400])

    async with provider_of(speak, monkeypatch, timeout_s=1) as (provider, loopback):
        stream = provider.stream(ASKING)
        assert await anext(stream) == TextDelta("first ")
        with pytest.raises(DeadlineExceeded, match=r"openai sent nothing for 1 s"):
            await anext(stream)
        await asyncio.wait_for(loopback.client_gone.wait(), 5)


async def test_a_slow_answer_lives_as_long_as_its_pieces_keep_coming(monkeypatch: pytest.MonkeyPatch) -> None:
    data = OpenAIWire().answer([str(number) for number in range(8)])

    async def speak(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for event in data.split(b"\n\n")[:-1]:
            await send(writer, event + b"\n\n")
            await asyncio.sleep(0.15)
        writer.write(b"0\r\n\r\n")

    async with provider_of(speak, monkeypatch, timeout_s=1) as (provider, _):
        assert [piece async for piece in provider.stream(ASKING)][-1] == Completion(
            "01234567", (), Usage(11, 7), "stop"
        )


async def test_a_connection_that_drops_in_the_middle_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    async def speak(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        await send(writer, OpenAIWire().answer(["first "])[:400])
        writer.close()

    async with provider_of(speak, monkeypatch) as (provider, _):
        stream = provider.stream(ASKING)
        assert await anext(stream) == TextDelta("first ")
        with pytest.raises(Unavailable):
            await anext(stream)


async def test_nobody_listening_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(_: asyncio.StreamWriter) -> None:
        return

    async with provider_of(silent, monkeypatch) as (provider, _):
        pass
    gone = OpenAIProvider(model="local", api_key=None, base_url=str(provider._client.base_url), timeout_s=5)
    with pytest.raises(Unavailable, match=r"check the network and provider\.baseUrl"):
        _ = [piece async for piece in gone.stream(ASKING)]


def events(*chunks: dict[str, object]) -> bytes:
    return b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks)


@pytest.mark.parametrize("ending", [b"", b"data: [DONE]\n\n"])
async def test_compatible_servers_may_leave_out_much(monkeypatch: pytest.MonkeyPatch, ending: bytes) -> None:
    # No usage, no index or id in a tool call, null choices, a call that says "stop", two calls under one index.
    call = {"function": {"name": "memory", "arguments": '{"a":1}'}}
    second = {"index": 0, "id": "x2", "function": {"name": "session_search", "arguments": None}}
    third = {"index": 0, "id": "x3", "function": {"name": "memory", "arguments": "{}"}}
    data = events(
        {"choices": None},
        {"choices": [{"delta": {"content": None}}]},
        {"choices": [{"delta": {"tool_calls": [call]}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [second]}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [third]}}]},
        openai_chunk([{"index": 0, "delta": {}, "finish_reason": "stop"}]),
    )

    async def speak(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        await send(writer, data + ending)
        writer.write(b"0\r\n\r\n")

    async with provider_of(speak, monkeypatch) as (provider, _):
        assert [piece async for piece in provider.stream(ASKING)] == [
            Completion(
                "",
                (
                    ToolCall("call_1", "memory", '{"a":1}'),
                    ToolCall("x2", "session_search", "{}"),
                    ToolCall("x3", "memory", "{}"),
                ),
                Usage(),
                "tool_calls",
            )
        ]


async def test_a_status_in_the_code_of_an_error_event_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    async def speak(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        await send(writer, events({"error": {"message": "m", "type": "InternalServerError", "code": 404}}))
        writer.write(b"0\r\n\r\n")

    async with provider_of(speak, monkeypatch) as (provider, _):
        with pytest.raises(PeerFault, match=r"check provider\.model and provider\.baseUrl"):
            _ = [piece async for piece in provider.stream(ASKING)]
