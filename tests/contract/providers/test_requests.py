"""What is asked of a model over a network, in each one's own shape, with our key and no other."""

from __future__ import annotations

from typing import Any

import pytest

from beaver.agent.messages import PromptMessage, ProviderRequest, ToolCall, ToolSpec
from tests.contract.providers.asking import DELTAS, asking, every_wire, pieces_of
from tests.support.model_wires import KEY, AnthropicWire, Body, OpenAIWire, Server, Wire


@every_wire
async def test_no_request_leaves_before_the_first_call(wire: Wire) -> None:
    server = Server(Body(wire.answer(DELTAS)))
    provider = wire.provider(server)
    stream = provider.stream(asking())
    assert server.requests == []
    assert [piece async for piece in stream]
    assert len(server.requests) == 1


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
