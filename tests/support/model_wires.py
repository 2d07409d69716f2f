"""The two streaming APIs as bytes: what a real server of each sends, and a transport that records and cuts it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx2
from pydantic import SecretStr

from beaver.agent.messages import ToolCall
from beaver.agent.providers.anthropic import AnthropicProvider
from beaver.agent.providers.base import Provider
from beaver.agent.providers.openai import OpenAIProvider

KEY = "sk-canary-0123456789abcdef"
PROMPT = "the prompt's own canary text"


@dataclass
class Body(httpx2.AsyncByteStream):
    """A response body: sends `data` in pieces of `size` bytes, then ends, breaks or hangs; notes that it was closed."""

    data: bytes
    size: int = 65_536
    ending: Exception | None = None
    hangs: bool = False
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self.data), self.size):
            yield self.data[start : start + self.size]
        if self.ending:
            raise self.ending
        if self.hangs:
            await asyncio.Event().wait()

    async def aclose(self) -> None:
        self.closed.set()


@dataclass
class Server(httpx2.AsyncBaseTransport):
    """Answers every request with one status and body; keeps what it was asked."""

    body: Body
    status: int = 200
    requests: list[httpx2.Request] = field(default_factory=list)
    fault: Exception | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        self.requests.append(request)
        if self.fault:
            raise self.fault
        kind = "text/event-stream" if self.status == 200 else "application/json"
        return httpx2.Response(self.status, headers={"content-type": kind}, stream=self.body)

    @property
    def asked(self) -> dict[str, Any]:
        """The body of the last request."""
        asked: dict[str, Any] = json.loads(self.requests[-1].content)
        return asked


class Wire(Protocol):
    """One API: how a provider is made for it, and how its server speaks."""

    name: str

    def provider(self, server: httpx2.AsyncBaseTransport, timeout_s: float = 5) -> Provider: ...
    def answer(self, deltas: Sequence[str], calls: Sequence[ToolCall] = (), finish: str = "stop") -> bytes: ...
    def error_event(self, kind: str) -> bytes: ...


class OpenAIWire:
    """Chat completions."""

    name = "openai"

    def provider(self, server: httpx2.AsyncBaseTransport, timeout_s: float = 5) -> Provider:
        return OpenAIProvider(model="m", api_key=SecretStr(KEY), timeout_s=timeout_s, transport=server)

    def answer(self, deltas: Sequence[str], calls: Sequence[ToolCall] = (), finish: str = "stop") -> bytes:
        """A whole stream with usage 11/7; each call's arguments come in two pieces, the calls' pieces interleaved."""
        choices: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        choices += [{"content": delta} for delta in deltas]
        choices += [{"tool_calls": [_opened(index, call)]} for index, call in enumerate(calls)]
        choices += [{"tool_calls": [_rest(index, call)]} for index, call in enumerate(calls)]
        chunks = [openai_chunk([{"index": 0, "delta": delta, "finish_reason": None}]) for delta in choices]
        chunks.append(openai_chunk([{"index": 0, "delta": {}, "finish_reason": finish}]))
        chunks.append(openai_chunk([], usage={"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}))
        return b"".join(map(_data, chunks)) + b"data: [DONE]\n\n"

    def error_event(self, kind: str) -> bytes:
        codes = {"overloaded": "server_error", "rate": "rate_limit_exceeded", "other": "odd"}
        return _data({"error": {"message": f"{KEY} {PROMPT}", "type": codes[kind], "code": codes[kind]}})


def openai_chunk(choices: list[dict[str, Any]], usage: dict[str, int] | None = None) -> dict[str, Any]:
    """One chunk of a chat completion."""
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}
    return {**chunk, "usage": usage}


class AnthropicWire:
    """Messages."""

    name = "anthropic"

    def provider(self, server: httpx2.AsyncBaseTransport, timeout_s: float = 5) -> Provider:
        return AnthropicProvider(model="m", api_key=SecretStr(KEY), timeout_s=timeout_s, transport=server)

    def answer(self, deltas: Sequence[str], calls: Sequence[ToolCall] = (), finish: str = "stop") -> bytes:
        """A whole stream with usage 11 (4 of them cached) / 7."""
        stop = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}[
            finish
        ]
        usage = {"input_tokens": 7, "cache_read_input_tokens": 4, "output_tokens": 1}
        message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**message, "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "ping"},
        ]
        events += [_block_delta(0, {"type": "text_delta", "text": delta}) for delta in deltas]
        events.append({"type": "content_block_stop", "index": 0})
        for index, call in enumerate(calls, 1):
            block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
            events.append({"type": "content_block_start", "index": index, "content_block": block})
            for piece in (call.arguments[:3], call.arguments[3:]):
                events.append(_block_delta(index, {"type": "input_json_delta", "partial_json": piece}))
            events.append({"type": "content_block_stop", "index": index})
        ended = {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 7}}
        events += [{"type": "message_delta", **ended}, {"type": "message_stop"}]
        return b"".join(_event(event) for event in events)

    def error_event(self, kind: str) -> bytes:
        types = {"overloaded": "overloaded_error", "rate": "rate_limit_error", "other": "odd_error"}
        return _event({"type": "error", "error": {"type": types[kind], "message": f"{KEY} {PROMPT}"}})


def _opened(index: int, call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments[:3]}
    return {"index": index, "id": call.id, "type": "function", "function": function}


def _rest(index: int, call: ToolCall) -> dict[str, Any]:
    return {"index": index, "function": {"arguments": call.arguments[3:]}}


def _block_delta(index: int, delta: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _data(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def _event(value: dict[str, Any]) -> bytes:
    return f"event: {value['type']}\n".encode() + _data(value)
