"""Which session a request lands in, as clients see it: said back in a header, and never taken from `user`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from beaver.agent.messages import Completion, Usage
from tests.support.chat_server import CURATED, RunningChatServer, running_chat_server

ANSWER = Completion("Beavers build dams.", (), Usage(7, 3), "stop")
CONFIG = {**CURATED, "server": {"sessionHeaders": ["X-Thread", "X-Chat"]}}
PATHS = ("/v1/chat/completions", "/v1/responses")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    async with running_chat_server(tmp_path, [ANSWER], config=CONFIG) as running:
        yield running


async def post(server: RunningChatServer, path: str, headers: dict[str, str], **body: Any) -> httpx.Response:
    asked = {"input": "Hello"} if path.endswith("responses") else {"messages": [{"role": "user", "content": "Hello"}]}
    response = await server.client.post(path, json={**asked, **body}, headers=headers)
    assert response.status_code == 200
    return response


async def said(server: RunningChatServer, session: str) -> list[str]:
    found = (await server.client.get(f"/v1/sessions/{session}/messages")).json()["data"]
    return [message["content"] for message in found]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("headers", "body", "session"),
    [
        ({"X-Beaver-Session": "own", "X-OpenWebUI-Chat-Id": "webui"}, {"conversation": "c"}, "own"),
        ({"X-OpenWebUI-Chat-Id": "webui", "X-Thread": "thread"}, {"conversation": "c"}, "webui"),
        ({"X-Chat": "chat", "X-Thread": "thread"}, {"conversation": "c"}, "thread"),
        ({"X-Chat": "chat"}, {"metadata": {"session_id": "m"}}, "chat"),
        ({}, {"conversation": "c", "metadata": {"session_id": "m"}}, "c"),
        ({}, {"conversation": {"id": "c"}}, "c"),
        ({}, {"metadata": {"session_id": "m"}, "user": "anna"}, "m"),
    ],
)
async def test_the_session_is_found_by_precedence_and_said_back(
    server: RunningChatServer, path: str, stream: bool, headers: dict[str, str], body: dict[str, Any], session: str
) -> None:
    response = await post(server, path, headers, stream=stream, **body)

    assert response.headers["X-Beaver-Session"] == session
    assert await said(server, session) == ["Hello", "Beavers build dams."]


@pytest.mark.parametrize("path", PATHS)
async def test_a_user_is_no_session(server: RunningChatServer, path: str) -> None:
    one, two = [(await post(server, path, {}, user="anna")).headers["X-Beaver-Session"] for _ in range(2)]

    assert "anna" not in (one, two)
    assert one != two


@pytest.mark.parametrize("path", PATHS)
async def test_an_answer_of_either_api_can_be_gone_on_from(server: RunningChatServer, path: str) -> None:
    first = await post(server, path, {})
    second = await post(server, path, {}, previous_response_id=first.json()["id"])

    assert second.headers["X-Beaver-Session"] == first.headers["X-Beaver-Session"]
    assert await said(server, second.headers["X-Beaver-Session"]) == ["Hello", "Beavers build dams."] * 2


async def test_a_session_id_that_breaks_a_rule_is_refused_by_its_place(server: RunningChatServer) -> None:
    body = {"input": "Hello", "metadata": {"session_id": "../etc"}}

    response = await server.client.post("/v1/responses", json=body)

    assert response.status_code == 400
    assert response.json()["error"]["param"] == "metadata.session_id"
    assert (await server.client.get("/v1/sessions")).json()["data"] == []


async def test_a_fresh_session_begins_with_what_the_client_tells_of_it(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [ANSWER]) as server:
        messages = [
            {"role": "system", "content": "Be kind"},
            {"role": "user", "content": "My name is Anna."},
            {"role": "assistant", "content": "Hello, Anna."},
            {"role": "user", "content": "Who am I?"},
        ]
        response = await server.client.post("/v1/chat/completions", json={"messages": messages})
        told = ["My name is Anna.", "Hello, Anna.", "Who am I?", "Beavers build dams."]
        assert await said(server, response.headers["X-Beaver-Session"]) == told


class TestWithoutMemory:
    @pytest.mark.parametrize("path", PATHS)
    @pytest.mark.parametrize("stream", [False, True])
    @pytest.mark.parametrize("model", ["beaver-no-memory", "my-agent-no-memory"])
    async def test_it_answers_and_leaves_no_trace(
        self, server: RunningChatServer, path: str, stream: bool, model: str
    ) -> None:
        response = await post(server, path, {"X-OpenWebUI-Chat-Id": "webui"}, model=model, stream=stream)

        assert "X-Beaver-Session" not in response.headers
        assert "dams." in response.text
        assert (await server.client.get("/v1/sessions")).json()["data"] == []

    async def test_its_prompt_is_the_clients_own_messages_and_nothing_else(self, tmp_path: Path) -> None:
        requests: list[Any] = []

        def answer(request: Any) -> Completion:
            requests.append(request)
            return ANSWER

        async with running_chat_server(tmp_path, [answer]) as server:
            messages = [
                {"role": "system", "content": "Give a title."},
                {"role": "user", "content": "One"},
                {"role": "assistant", "content": "Two"},
                {"role": "user", "content": "Three"},
            ]
            body = {"model": "beaver-no-memory", "messages": messages}
            await server.client.post("/v1/chat/completions", json=body)
        (request,) = requests
        assert [(message.role, message.text) for message in request.messages] == [
            ("system", "Give a title."),
            ("user", "One"),
            ("assistant", "Two"),
            ("user", "Three"),
        ]
        assert request.tools == ()


@pytest.mark.parametrize("path", PATHS)
async def test_a_retry_in_one_session_is_never_answered_with_the_run_of_another(
    server: RunningChatServer, path: str
) -> None:
    for thread, retries in (("annas", "0"), ("bens", "1")):
        response = await post(server, path, {"X-Thread": thread, "x-stainless-retry-count": retries})
        assert response.headers["X-Beaver-Session"] == thread
    assert await said(server, "bens") == ["Hello", ANSWER.text]
