"""What the official client may ask for: honoured, dropped without harm, or refused by the field's name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import openai
import pytest

from beaver.agent.messages import Completion, Usage
from tests.support.chat_server import RunningChatServer, running_chat_server

ANSWER = Completion("Beavers build dams.", (), Usage(7, 3), "stop")
HELLO: Any = [{"role": "user", "content": "Hello"}]
TOOL = {"name": "look", "description": "Looks", "parameters": {"type": "object", "properties": {}}}

OF_CHATS: Any = {
    "n": 1,
    "temperature": 0,
    "top_p": 1,
    "presence_penalty": 0,
    "frequency_penalty": 0,
    "stop": ["Observation:"],
    "seed": 1,
    "user": "anna",
    "logprobs": False,
    "response_format": {"type": "text"},
    "tools": [{"type": "function", "function": TOOL}],
    "tool_choice": "auto",
    "parallel_tool_calls": True,
    "modalities": ["text"],
    "store": True,
    "reasoning_effort": "low",
}
OF_RESPONSES: Any = {
    "temperature": 0,
    "top_p": 1,
    "include": ["reasoning.encrypted_content"],
    "tools": [{"type": "function", "strict": False, **TOOL}],
    "tool_choice": "auto",
    "parallel_tool_calls": True,
    "reasoning": {"effort": "low"},
    "text": {"format": {"type": "text"}, "verbosity": "low"},
    "truncation": "auto",
    "service_tier": "auto",
}


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    async with running_chat_server(tmp_path, [ANSWER]) as running:
        yield running


def official(server: RunningChatServer) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)


def system_of(server: RunningChatServer, call: int = -1) -> list[str]:
    """The system prompt's parts of a call of the model."""
    return [message.text for message in server.provider.requests[call].messages if message.role == "system"]


async def test_what_front_ends_send_by_default_is_answered(server: RunningChatServer) -> None:
    async with official(server) as client:
        answer = await client.chat.completions.create(model="gpt-5", messages=HELLO, **OF_CHATS)
        response = await client.responses.create(model="gpt-5", input="Hello", **OF_RESPONSES)
    assert answer.choices[0].message.content == response.output_text == "Beavers build dams."


@pytest.mark.parametrize(
    ("field", "wish"),
    [
        ("n", 2),
        ("logprobs", True),
        ("top_logprobs", 3),
        ("response_format", {"type": "json_object"}),
        ("tool_choice", "required"),
        ("tool_choice", {"type": "function", "function": {"name": "look"}}),
        ("function_call", {"name": "look"}),
        ("modalities", ["text", "audio"]),
        ("max_tokens", 0),
        ("max_completion_tokens", -1),
    ],
)
async def test_a_completion_that_cannot_be_had_is_refused_by_name(
    server: RunningChatServer, field: str, wish: Any
) -> None:
    async with official(server) as client:
        with pytest.raises(openai.BadRequestError) as refused:
            await client.chat.completions.create(model="beaver", messages=HELLO, extra_body={field: wish})
    assert refused.value.param == field
    assert server.provider.requests == []


@pytest.mark.parametrize(
    ("field", "wish"),
    [
        ("background", True),
        ("top_logprobs", 3),
        ("include", ["message.output_text.logprobs"]),
        ("text.format", {"text": {"format": {"type": "json_schema", "name": "a", "schema": {}}}}),
        ("tool_choice", "required"),
        ("prompt", {"id": "pmpt_1"}),
        ("max_output_tokens", 0),
    ],
)
async def test_a_response_that_cannot_be_had_is_refused_by_name(
    server: RunningChatServer, field: str, wish: Any
) -> None:
    body = wish if "." in field else {field: wish}
    async with official(server) as client:
        with pytest.raises(openai.BadRequestError) as refused:
            await client.responses.create(model="beaver", input="Hello", extra_body=body)
    assert refused.value.param == field
    assert server.provider.requests == []


@pytest.mark.parametrize("model", ["beaver", "beaver-no-memory"])
async def test_an_answer_is_no_longer_than_wanted_nor_than_configured(server: RunningChatServer, model: str) -> None:
    async with official(server) as client:
        await client.chat.completions.create(model=model, messages=HELLO, max_tokens=50)
        await client.chat.completions.create(model=model, messages=HELLO, max_tokens=50, max_completion_tokens=40)
        response = await client.responses.create(model=model, input="Hello", max_output_tokens=30)
        await client.chat.completions.create(model=model, messages=HELLO, max_tokens=1_000_000)
    assert response.max_output_tokens == 30
    assert [request.output_tokens_max for request in server.provider.requests] == [50, 40, 30, 4096]


async def test_instructions_hold_for_one_answer_and_are_not_stored(server: RunningChatServer) -> None:
    async with official(server) as client:
        first = await client.responses.create(model="beaver", input="Hello", instructions="Answer in rhyme.")
        await client.responses.create(model="beaver", input="And now?", previous_response_id=first.id)
    assert system_of(server, 0) == [*system_of(server, 1), "Answer in rhyme."]
    assert first.conversation is not None
    stored = await server.client.get(f"/v1/sessions/{first.conversation.id}/events")
    assert "rhyme" not in stored.text


@pytest.mark.parametrize("role", ["system", "developer"])
async def test_a_system_message_is_such_a_rule(server: RunningChatServer, role: str) -> None:
    async with official(server) as client:
        rule: Any = {"role": role, "content": "Answer in rhyme."}
        await client.chat.completions.create(model="beaver", messages=[rule, *HELLO])
    assert system_of(server)[-1] == "Answer in rhyme."


async def test_a_response_that_is_not_stored_cannot_be_read_and_its_session_goes_on(server: RunningChatServer) -> None:
    async with official(server) as client:
        response = await client.responses.create(model="beaver", input="Hello", store=False)
        assert response.store is False  # type: ignore[attr-defined]
        with pytest.raises(openai.NotFoundError):
            await client.responses.retrieve(response.id)
        assert response.conversation is not None
        session_id = response.conversation.id
        further = await client.responses.create(model="beaver", input="And now?", previous_response_id=response.id)
        assert further.conversation is not None
        assert further.conversation.id == session_id
        assert (await client.responses.retrieve(further.id)).output_text == "Beavers build dams."
    messages = (await server.client.get(f"/v1/sessions/{session_id}/messages")).json()["data"]
    assert [message["content"] for message in messages[::2]] == ["Hello", "And now?"]
