"""The Responses API, event by event, held against the official client's own models."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from beaver.agent.messages import Completion, TextDelta, ToolCall, Usage
from beaver.agent.providers.scripted import Pause
from beaver.errors import LimitExceeded, Unavailable
from beaver.schemas.responses import Response as OurResponse
from tests.support.chat_server import RunningChatServer, running_chat_server

ANSWER = Completion("Beavers build dams.", (), Usage(7, 3), "stop")
SEARCH = ToolCall("c1", "session_search", '{"query": "dams"}')
LOOKS_IT_UP = Completion("Let me look.", (SEARCH,), Usage(5, 2), "tool_calls")
EVENT = TypeAdapter[Any](ResponseStreamEvent)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    async with running_chat_server(tmp_path, [ANSWER]) as running:
        yield running


def official(server: RunningChatServer) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)


async def events_of(server: RunningChatServer, **body: Any) -> list[dict[str, Any]]:
    """The stream's events; each has its own type for its name, and passes the official model, strictly."""
    response = await server.client.post("/v1/responses", json={"input": "Hello", "stream": True, **body})
    assert response.headers["Content-Type"].startswith("text/event-stream")
    events = []
    for block in filter(None, response.text.split("\n\n")):
        if block.startswith(":"):
            continue
        name, data = block.split("\n")
        EVENT.validate_json(data.removeprefix("data: "), strict=True)
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        events.append(event)
    return events


def types_of(events: list[dict[str, Any]]) -> list[str]:
    """The types without their prefix, deltas in a row said once."""
    types = [event["type"].removeprefix("response.") for event in events]
    return [kind for index, kind in enumerate(types) if index == 0 or kind != types[index - 1]]


MESSAGE = [
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
]


class TestStreams:
    async def test_events_come_in_openais_order_and_are_numbered_without_a_gap(self, server: RunningChatServer) -> None:
        events = await events_of(server)
        assert types_of(events) == ["created", "in_progress", *MESSAGE, "completed"]
        assert [event["sequence_number"] for event in events] == list(range(len(events)))

    async def test_the_deltas_the_message_and_the_completed_response_say_the_same(
        self, server: RunningChatServer
    ) -> None:
        events = await events_of(server)
        deltas = [event["delta"] for event in events if event["type"] == "response.output_text.delta"]
        (done,) = [event for event in events if event["type"] == "response.output_item.done"]
        completed = events[-1]["response"]
        assert len(deltas) > 1
        assert "".join(deltas) == "Beavers build dams."
        assert completed["output"] == [done["item"]]
        assert done["item"]["content"][0]["text"] == "Beavers build dams."
        assert completed["usage"]["total_tokens"] == 10
        assert {event["item_id"] for event in events if "item_id" in event} == {done["item"]["id"]}

    async def test_the_response_in_progress_has_no_output_and_one_id_throughout(
        self, server: RunningChatServer
    ) -> None:
        created, in_progress, *_, completed = await events_of(server)
        assert created["response"] == in_progress["response"]
        assert (created["response"]["status"], created["response"]["output"]) == ("in_progress", [])
        assert created["response"]["id"] == completed["response"]["id"] == completed["response"]["beaver"]["run_id"]

    async def test_what_is_said_before_a_tool_is_a_message_of_its_own(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [LOOKS_IT_UP, ANSWER]) as server:
            events = await events_of(server)
        assert types_of(events) == ["created", "in_progress", *MESSAGE, *MESSAGE, "completed"]
        output = events[-1]["response"]["output"]
        assert [item["content"][0]["text"] for item in output] == ["Let me look.", "Beavers build dams."]
        assert [event["output_index"] for event in events if event["type"] == "response.output_item.done"] == [0, 1]

    async def test_an_answer_without_a_word_is_an_empty_message(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [Completion("", (), Usage(7, 0), "stop")]) as server:
            events = await events_of(server)
        assert types_of(events) == [
            "created",
            "in_progress",
            *(kind for kind in MESSAGE if kind != "output_text.delta"),
            "completed",
        ]

    @pytest.mark.parametrize(
        ("finish", "reason"), [("length", "max_output_tokens"), ("content_filter", "content_filter")]
    )
    async def test_an_answer_that_a_limit_cut_is_incomplete_and_says_why(
        self, tmp_path: Path, finish: Any, reason: str
    ) -> None:
        async with running_chat_server(tmp_path, [Completion("Beavers bu", (), Usage(7, 3), finish)]) as server:
            events = await events_of(server)
        assert events[-1]["type"] == "response.incomplete"
        assert events[-1]["response"]["status"] == "incomplete"
        assert events[-1]["response"]["incomplete_details"] == {"reason": reason}

    @pytest.mark.parametrize(
        ("error", "code"),
        [
            (Unavailable("the model is away"), "server_error"),
            (LimitExceeded("the model is busy"), "rate_limit_exceeded"),
        ],
    )
    async def test_a_failure_in_mid_stream_ends_in_failed_with_what_was_said(
        self, tmp_path: Path, error: Exception, code: str
    ) -> None:
        async with running_chat_server(tmp_path, [(TextDelta("Bea"), error)]) as server:
            events = await events_of(server)
        failed = events[-1]["response"]
        assert events[-1]["type"] == "response.failed"
        assert (failed["status"], failed["error"]["code"]) == ("failed", code)
        assert str(error) in failed["error"]["message"]
        assert [(item["status"], item["content"][0]["text"]) for item in failed["output"]] == [("incomplete", "Bea")]

    async def test_a_bug_in_mid_stream_ends_in_failed_without_its_message(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [(TextDelta("Bea"), RuntimeError("canary"))]) as server:
            response = await server.client.post("/v1/responses", json={"input": "Hello", "stream": True})
        assert "event: response.failed" in response.text
        assert "canary" not in response.text

    async def test_a_silent_run_keeps_its_connection_alive_with_comments(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("beaver.server.openai.responses.KEEP_ALIVE_S", 0.02)
        async with running_chat_server(tmp_path, [(TextDelta("Beavers "), Pause(0.2), TextDelta("dig."))]) as server:
            response = await server.client.post("/v1/responses", json={"input": "Hello", "stream": True})
        assert ": keep-alive\n\n" in response.text


class TestWhole:
    async def test_a_response_passes_the_official_model_and_has_every_key(self, server: RunningChatServer) -> None:
        answered = await server.client.post(
            "/v1/responses",
            json={"input": "Hello", "model": "beaver", "metadata": {"k": "v"}, "instructions": "Be kind"},
        )
        response = Response.model_validate_json(answered.text, strict=True)
        assert response.output_text == "Beavers build dams."
        assert (response.status, response.model, response.metadata) == ("completed", "beaver", {"k": "v"})
        assert response.instructions == "Be kind"
        assert response.conversation is not None
        assert response.conversation.id == answered.headers["X-Beaver-Session"]
        assert set(answered.json()) == set(OurResponse.model_fields)

    async def test_streamed_and_whole_responses_hold_the_same_output(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [LOOKS_IT_UP, ANSWER, LOOKS_IT_UP, ANSWER]) as server:
            streamed = (await events_of(server))[-1]["response"]
            whole = (await server.client.post("/v1/responses", json={"input": "Hello"})).json()
        assert [item["content"] for item in streamed["output"]] == [item["content"] for item in whole["output"]]
        assert streamed["usage"] == whole["usage"]

    async def test_a_list_of_items_asks_with_its_last_user_message(self, server: RunningChatServer) -> None:
        items = [
            {"role": "user", "content": "First"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes?"}]},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Second"}]},
        ]
        headers = {"X-Beaver-Session": "s-1"}
        await server.client.post("/v1/responses", json={"input": items}, headers=headers)
        messages = (await server.client.get("/v1/sessions/s-1/messages")).json()["data"]
        assert [message["content"] for message in messages] == ["First", "Yes?", "Second", "Beavers build dams."]

    @pytest.mark.parametrize(
        ("body", "param"),
        [
            ({}, "input"),
            ({"input": "  "}, "input"),
            ({"input": []}, "input"),
            ({"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "x"}]}]}, "input"),
            ({"input": [{"role": "assistant", "content": "Hi"}]}, "input"),
            ({"input": "Hi", "background": True}, "background"),
            ({"input": "Hi", "previous_response_id": "nope"}, "previous_response_id"),
        ],
    )
    @pytest.mark.parametrize("stream", [False, True])
    async def test_a_bad_request_is_a_400_that_names_the_field(
        self, server: RunningChatServer, body: dict[str, Any], param: str, stream: bool
    ) -> None:
        response = await server.client.post("/v1/responses", json={**body, "stream": stream})
        assert response.status_code == 400
        error = response.json()["error"]
        assert error["type"] == "invalid_request_error"
        assert error["param"].split(".")[0] == param


class TestReadAgain:
    async def test_a_stored_response_is_the_one_that_was_given(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [LOOKS_IT_UP, ANSWER]) as server:
            given = (await server.client.post("/v1/responses", json={"input": "Hello", "model": "beaver"})).json()
            read = await server.client.get(f"/v1/responses/{given['id']}")
        Response.model_validate_json(read.text, strict=True)
        timeless = {"created_at": 0, "completed_at": 0}
        assert {**read.json(), **timeless} == {**given, **timeless}

    async def test_a_response_that_failed_is_read_as_failed(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [(TextDelta("Bea"), Unavailable("away"))]) as server:
            failed = (await events_of(server))[-1]["response"]
            read = (await server.client.get(f"/v1/responses/{failed['id']}")).json()
        assert (read["status"], read["error"]["beaver_code"]) == ("failed", "unavailable")

    async def test_an_unknown_response_is_a_404(self, server: RunningChatServer) -> None:
        assert (await server.client.get("/v1/responses/nope")).status_code == 404


class TestTheOfficialClient:
    async def test_it_goes_on_from_a_previous_response(self, server: RunningChatServer) -> None:
        async with official(server) as client:
            first = await client.responses.create(model="beaver", input="One")
            second = await client.responses.create(model="beaver", input="Two", previous_response_id=first.id)
            read = await client.responses.retrieve(second.id)
        assert first.conversation == second.conversation
        assert second.previous_response_id == first.id
        assert read.output_text == "Beavers build dams."

    async def test_its_stream_puts_the_response_together(self, server: RunningChatServer) -> None:
        async with official(server) as client, client.responses.stream(model="beaver", input="Hello") as stream:
            kinds = [event.type async for event in stream]
            final = await stream.get_final_response()
        assert kinds[0] == "response.created"
        assert kinds[-1] == "response.completed"
        assert final.output_text == "Beavers build dams."
