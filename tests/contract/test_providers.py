"""Every provider keeps the contract of `providers/base.py`; the SDK ones over mock transports that speak the real bytes."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, cast

import httpx2
import pytest

from beaver.agent.messages import (
    Completion,
    PromptMessage,
    ProviderPiece,
    ProviderRequest,
    TextDelta,
    ToolCall,
    ToolSpec,
    Usage,
)
from beaver.agent.providers.base import Provider
from beaver.agent.providers.offline import OfflineProvider
from beaver.agent.providers.scripted import ScriptedProvider
from beaver.errors import (
    BeaverError,
    DeadlineExceeded,
    InvalidInput,
    LimitExceeded,
    PeerFault,
    Unauthenticated,
    Unavailable,
)
from tests.contract.model_wires import KEY, PROMPT, AnthropicWire, Body, OpenAIWire, Server, Wire

DELTAS = ("Grüße, ", "小黑 ", "und ", "👩‍🚀🦫", "!\n\nzwei")
TEXT = "".join(DELTAS)
CALLS = (
    ToolCall("call_1", "memory", '{"action": "add", "content": "é小"}'),
    ToolCall("call_2", "session_search", "{}"),
)
WIRES: list[Wire] = [OpenAIWire(), AnthropicWire()]
every_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)


def asking(text: str = PROMPT) -> ProviderRequest:
    return ProviderRequest((PromptMessage("user", text, "prompt"),))


async def pieces_of(provider: Provider, request: ProviderRequest | None = None) -> list[ProviderPiece]:
    return [piece async for piece in provider.stream(request or asking())]


async def completion_of(provider: Provider, request: ProviderRequest | None = None) -> Completion:
    last = (await pieces_of(provider, request))[-1]
    assert isinstance(last, Completion)
    return last


async def fault_of(provider: Provider, request: ProviderRequest | None = None) -> BeaverError:
    with pytest.raises(BeaverError) as caught:
        await pieces_of(provider, request)
    return caught.value


# What all four keep.

SCRIPTED = Completion(TEXT, (), Usage(11, 7), "stop")
FOUR: dict[str, Callable[[], Provider]] = {
    "offline": OfflineProvider,
    "scripted": lambda: ScriptedProvider([SCRIPTED]),
    "openai": lambda: OpenAIWire().provider(Server(Body(OpenAIWire().answer(DELTAS)))),
    "anthropic": lambda: AnthropicWire().provider(Server(Body(AnthropicWire().answer(DELTAS)))),
}


@pytest.fixture(params=FOUR)
async def any_provider(request: pytest.FixtureRequest) -> AsyncIterator[Provider]:
    provider = FOUR[request.param]()
    yield provider
    await provider.aclose()


async def test_deltas_join_to_the_text_of_one_completion_that_comes_last(any_provider: Provider) -> None:
    pieces = await pieces_of(any_provider)
    *deltas, last = pieces
    assert isinstance(last, Completion)
    assert all(isinstance(delta, TextDelta) and delta.text for delta in deltas)
    assert "".join(cast(TextDelta, delta).text for delta in deltas) == last.text != ""
    assert len(deltas) > 1
    assert last.finish == "stop"


async def test_a_provider_answers_again_and_names_itself(any_provider: Provider) -> None:
    assert await pieces_of(any_provider) == await pieces_of(any_provider)
    assert any_provider.name
    assert any_provider.model


async def test_closing_twice_is_fine(any_provider: Provider) -> None:
    await any_provider.aclose()
    await any_provider.aclose()


async def test_lone_surrogates_in_a_prompt_break_nothing(any_provider: Provider) -> None:
    half = "half an emoji \ud83d here"
    said = (
        PromptMessage("system", half, "curated_memory"),
        PromptMessage("user", half, "history"),
        *asking(half).messages,
    )
    assert (await completion_of(any_provider, ProviderRequest(said))).text.encode()


async def test_an_answer_that_is_left_early_can_be_closed(any_provider: Provider) -> None:
    async with aclosing(cast(Any, any_provider.stream(asking()))) as pieces:
        first = await anext(pieces)
    assert isinstance(first, TextDelta)


async def test_a_provider_does_not_show_its_key(any_provider: Provider) -> None:
    assert KEY not in repr(any_provider)
    assert KEY not in str(vars(any_provider))


# What the two over a network keep.


@every_wire
async def test_no_request_leaves_before_the_first_call(wire: Wire) -> None:
    server = Server(Body(wire.answer(DELTAS)))
    provider = wire.provider(server)
    stream = provider.stream(asking())
    assert server.requests == []
    assert [piece async for piece in stream]
    assert len(server.requests) == 1


@every_wire
@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
async def test_bytes_may_be_cut_anywhere(wire: Wire, size: int) -> None:
    provider = wire.provider(Server(Body(wire.answer(DELTAS, CALLS, "tool_calls"), size=size)))
    assert await completion_of(provider) == Completion(TEXT, CALLS, Usage(11, 7), "tool_calls")


@every_wire
async def test_carriage_returns_may_end_the_lines(wire: Wire) -> None:
    provider = wire.provider(Server(Body(wire.answer(DELTAS).replace(b"\n", b"\r\n"))))
    assert (await completion_of(provider)).text == TEXT


@every_wire
async def test_each_delta_is_given_on_as_it_comes(wire: Wire) -> None:
    pieces = await pieces_of(wire.provider(Server(Body(wire.answer(DELTAS)))))
    assert pieces[:-1] == [TextDelta(delta) for delta in DELTAS]


@every_wire
async def test_an_emoji_whose_escapes_are_cut_in_two_deltas_arrives_whole(wire: Wire) -> None:
    data = wire.answer(["a", "FIRST", "SECOND", "THIRD"])
    data = data.replace(b"FIRST", rb"\ud83e").replace(b"SECOND", rb"\uddab").replace(b"THIRD", rb"b\ud83e")
    pieces = await pieces_of(wire.provider(Server(Body(data))))
    assert pieces[:-1] == [TextDelta(text) for text in ("a", "🦫", "b", "\ufffd")]


@every_wire
async def test_an_answer_cut_by_the_token_limit_says_so(wire: Wire) -> None:
    assert (await completion_of(wire.provider(Server(Body(wire.answer(DELTAS, finish="length")))))).finish == "length"


@every_wire
async def test_a_filtered_answer_says_so(wire: Wire) -> None:
    provider = wire.provider(Server(Body(wire.answer([], finish="content_filter"))))
    assert await completion_of(provider) == Completion("", (), Usage(11, 7), "content_filter")


@every_wire
async def test_tool_calls_beside_the_reason_stop_are_still_tool_calls(wire: Wire) -> None:
    completion = await completion_of(wire.provider(Server(Body(wire.answer([], CALLS, "stop")))))
    assert completion.finish == "tool_calls"
    assert completion.tool_calls == CALLS


@every_wire
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, InvalidInput),
        (401, Unauthenticated),
        (402, LimitExceeded),
        (403, Unauthenticated),
        (404, PeerFault),
        (408, Unavailable),
        (413, InvalidInput),
        (418, PeerFault),
        (422, InvalidInput),
        (429, LimitExceeded),
        (500, Unavailable),
        (503, Unavailable),
        (529, Unavailable),
        (302, PeerFault),
    ],
)
async def test_a_refusal_becomes_an_error_of_ours_after_one_request(
    wire: Wire, status: int, kind: type[BeaverError]
) -> None:
    body = Body(json.dumps({"error": {"message": f"{KEY} {PROMPT}", "type": "x", "code": None}}).encode())
    server = Server(body, status=status)
    fault = await fault_of(wire.provider(server))
    assert type(fault) is kind
    assert str(status) in str(fault)
    assert len(server.requests) == 1
    assert body.closed.is_set()


@every_wire
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (httpx2.ConnectError(KEY), Unavailable),
        (httpx2.ConnectTimeout(KEY), DeadlineExceeded),
        (httpx2.RemoteProtocolError(KEY), Unavailable),
    ],
)
async def test_a_connection_that_fails_is_unavailable(wire: Wire, error: Exception, kind: type[BeaverError]) -> None:
    fault = await fault_of(wire.provider(Server(Body(b""), fault=error)))
    assert type(fault) is kind
    assert fault.retryable


@every_wire
@pytest.mark.parametrize("ending", [None, httpx2.ReadError(KEY), httpx2.RemoteProtocolError(KEY)])
async def test_a_stream_cut_midway_gives_its_deltas_and_then_unavailable(wire: Wire, ending: Exception | None) -> None:
    whole = wire.answer(DELTAS)
    body = Body(whole[: whole.index("👩‍🚀".encode()) - 40], ending=ending)
    stream = wire.provider(Server(body)).stream(asking())
    seen = [await anext(stream)]
    with pytest.raises(Unavailable):
        seen += [piece async for piece in stream]
    assert all(isinstance(piece, TextDelta) for piece in seen)
    assert body.closed.is_set()


@every_wire
@pytest.mark.parametrize(
    "garbage",
    [
        b"event: message_start\ndata: {not json\n\n",
        b"event: message_start\ndata: \xff\xfe\n\n",
        b'event: message_start\ndata: "a string"\n\n',
        b'event: message_start\ndata: {"choices": 5, "type": 5}\n\n',
        b'event: x\ndata: {"type": "x", "delta": {"type": "text_delta", "text": 5}, "choices": [{"delta": {"content": 5}}]}\n\n',
    ],
)
async def test_an_answer_that_cannot_be_read_is_the_peers_fault(wire: Wire, garbage: bytes) -> None:
    body = Body(garbage)
    assert type(await fault_of(wire.provider(Server(body)))) is PeerFault
    assert body.closed.is_set()


@every_wire
async def test_a_page_in_place_of_a_stream_is_not_taken_for_an_answer(wire: Wire) -> None:
    fault = await fault_of(wire.provider(Server(Body(b"<html><body>Welcome to the proxy</body></html>"))))
    assert isinstance(fault, Unavailable | PeerFault)


@every_wire
@pytest.mark.parametrize(("said", "kind"), [("overloaded", Unavailable), ("rate", LimitExceeded), ("other", PeerFault)])
async def test_an_error_inside_the_stream_is_told_apart(wire: Wire, said: str, kind: type[BeaverError]) -> None:
    assert type(await fault_of(wire.provider(Server(Body(wire.error_event(said)))))) is kind


@every_wire
async def test_an_endless_answer_is_cut(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beaver.agent.providers.draft.ANSWER_CHARACTERS_MAX", 8)
    assert type(await fault_of(wire.provider(Server(Body(wire.answer(DELTAS)))))) is PeerFault


@every_wire
async def test_a_stream_that_stalls_ends_at_the_idle_timeout_and_is_closed(wire: Wire) -> None:
    whole = wire.answer(DELTAS)
    body = Body(whole[: whole.index("小黑".encode()) - 80], hangs=True)
    assert type(await fault_of(wire.provider(Server(body), timeout_s=0.1))) is DeadlineExceeded
    assert body.closed.is_set()


@every_wire
async def test_a_cancelled_answer_closes_its_connection(wire: Wire) -> None:
    body = Body(wire.answer(DELTAS)[:-60], hangs=True)
    began = asyncio.Event()

    async def read() -> None:
        async for _ in wire.provider(Server(body)).stream(asking()):
            began.set()

    task = asyncio.create_task(read())
    await began.wait()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert body.closed.is_set()


@every_wire
async def test_an_answer_left_early_closes_its_connection(wire: Wire) -> None:
    body = Body(wire.answer(DELTAS), hangs=True)
    async with aclosing(cast(Any, wire.provider(Server(body)).stream(asking()))) as pieces:
        await anext(pieces)
    assert body.closed.is_set()


FAULTS: dict[str, Callable[[Wire], Server]] = {
    "401": lambda _: Server(
        Body(json.dumps({"error": {"message": f"bad key {KEY} in {PROMPT}"}}).encode()), status=401
    ),
    "400": lambda _: Server(Body(f"{KEY} {PROMPT}".encode()), status=400),
    "500": lambda _: Server(Body(f"{KEY} {PROMPT}".encode()), status=500),
    "connect": lambda _: Server(Body(b""), fault=httpx2.ConnectError(f"{KEY} {PROMPT}")),
    "cut": lambda wire: Server(Body(wire.answer([PROMPT])[:-200], ending=httpx2.ReadError(f"{KEY} {PROMPT}"))),
    "garbage": lambda _: Server(Body(f"event: message_start\ndata: {{{KEY} {PROMPT}\n\n".encode())),
    "stall": lambda _: Server(Body(b"", hangs=True)),
    "said": lambda wire: Server(Body(wire.error_event("other"))),
}


@every_wire
@pytest.mark.parametrize("fault", FAULTS)
async def test_neither_key_nor_prompt_hangs_on_an_error_or_stands_in_a_log(
    wire: Wire, fault: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_LOG", "debug")
    monkeypatch.setenv("ANTHROPIC_LOG", "debug")
    caplog.set_level(logging.DEBUG)
    error = await fault_of(wire.provider(FAULTS[fault](wire), timeout_s=0.1))
    assert error.__cause__ is None
    assert error.__context__ is None
    told = " ".join([str(error), repr(error), str(vars(error)), caplog.text, str([vars(r) for r in caplog.records])])
    assert KEY not in told
    assert PROMPT not in told


@every_wire
async def test_no_credential_of_the_environment_is_used(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, "sk-from-the-environment")
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.setenv(name, "http://elsewhere.invalid")
    server = Server(Body(wire.answer(DELTAS)))
    await pieces_of(wire.provider(server))
    asked = server.requests[0]
    assert KEY in str(asked.headers.multi_items())
    assert "sk-from-the-environment" not in str(asked.headers.multi_items())
    assert asked.url.host.endswith(f"{wire.name}.com")


@every_wire
async def test_the_streams_leave_no_generator_to_the_garbage_collector(wire: Wire) -> None:
    complaints: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    try:
        await pieces_of(wire.provider(Server(Body(wire.answer(DELTAS)))))
        await fault_of(wire.provider(Server(Body(b"", hangs=True)), timeout_s=0.05))
        gc.collect()
        await asyncio.sleep(0)
    finally:
        loop.set_exception_handler(None)
    assert complaints == []


# What is asked.

CONVERSATION = (
    PromptMessage("system", "You are Beaver.", "identity"),
    PromptMessage("system", "MEMORY", "curated_memory"),
    PromptMessage("user", "reference data", "reference"),
    PromptMessage("user", "first question", "history"),
    PromptMessage(
        "assistant", "", "history", (ToolCall("t:1", "memory", '{"a": 1}'), ToolCall("t2", "memory", "{broken"))
    ),
    PromptMessage("tool", "stored", "history", tool_call_id="t:1", tool_name="memory"),
    PromptMessage("tool", "failed", "history", tool_call_id="t2", tool_name="memory"),
    PromptMessage("assistant", "first answer", "history"),
    PromptMessage("user", "second question", "prompt"),
)
TOOL = ToolSpec("memory", "Keeps notes.", {"type": "object", "properties": {}})


async def asked_of(wire: Wire, request: ProviderRequest) -> dict[str, Any]:
    server = Server(Body(wire.answer(DELTAS)))
    await pieces_of(wire.provider(server), request)
    return server.asked


async def test_openai_is_asked_in_its_own_shape() -> None:
    request = ProviderRequest(CONVERSATION, (TOOL,), 99, {"time": "2026-11-30T08:00Z", "zone": "UTC"})
    asked = await asked_of(OpenAIWire(), request)
    assert asked == {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 99,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "memory",
                    "description": "Keeps notes.",
                    "parameters": {"type": "object", "properties": {}},
                },
            }
        ],
        "messages": [
            {"role": "system", "content": "You are Beaver.\n\nMEMORY"},
            {"role": "user", "content": "reference data\n\nfirst question"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "t:1", "type": "function", "function": {"name": "memory", "arguments": '{"a": 1}'}},
                    {"id": "t2", "type": "function", "function": {"name": "memory", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "t:1", "content": "stored"},
            {"role": "tool", "tool_call_id": "t2", "content": "failed"},
            {"role": "assistant", "content": "first answer"},
            {"role": "user", "content": "[time: 2026-11-30T08:00Z; zone: UTC]\nsecond question"},
        ],
    }


async def test_anthropic_is_asked_in_its_own_shape() -> None:
    request = ProviderRequest(CONVERSATION, (TOOL,), 99, {"time": "2026-11-30T08:00Z"})
    asked = await asked_of(AnthropicWire(), request)
    assert asked == {
        "model": "m",
        "stream": True,
        "max_tokens": 99,
        "system": [
            {"type": "text", "text": "You are Beaver.\n\nMEMORY", "cache_control": {"type": "ephemeral"}},
        ],
        "tools": [
            {"name": "memory", "description": "Keeps notes.", "input_schema": {"type": "object", "properties": {}}}
        ],
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "reference data"}, {"type": "text", "text": "first question"}],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "t_1", "name": "memory", "input": {"a": 1}},
                    {"type": "tool_use", "id": "t2", "name": "memory", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t_1", "content": "stored"},
                    {"type": "tool_result", "tool_use_id": "t2", "content": "failed"},
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "first answer"}]},
            {"role": "user", "content": [{"type": "text", "text": "[time: 2026-11-30T08:00Z]\nsecond question"}]},
        ],
    }


async def test_anthropic_has_past_tools_declared_when_none_may_be_called() -> None:
    asked = await asked_of(AnthropicWire(), ProviderRequest(CONVERSATION))
    assert [tool["name"] for tool in asked["tools"]] == ["memory"]
    assert asked["tool_choice"] == {"type": "none"}
    assert "tools" not in await asked_of(AnthropicWire(), asking())
    assert "tools" not in await asked_of(OpenAIWire(), ProviderRequest(CONVERSATION))


async def test_anthropic_gets_the_user_first_and_no_blank_text() -> None:
    messages = (
        PromptMessage("assistant", "cut off here", "history"),
        PromptMessage("assistant", "  ", "history"),
        PromptMessage("user", "hello", "prompt"),
    )
    asked = await asked_of(AnthropicWire(), ProviderRequest(messages))
    assert [turn["role"] for turn in asked["messages"]] == ["user", "assistant", "user"]
    assert asked["messages"][1]["content"] == [{"type": "text", "text": "cut off here"}]
    assert "system" not in asked
