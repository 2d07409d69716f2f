"""Bad requests are refused in one shape, with the field, before anything runs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from beaver.server.guard.limits import BODY_BYTES_MAX
from tests.support.chat_server import RunningChatServer


def nested(depth: int) -> dict[str, Any]:
    """Objects within objects."""
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


RESENT = [{"role": role, "content": role} for role in ("user", "assistant", "user")]


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "assistant", "content": "Hi"}]}, "messages"),
        ({"messages": [{"role": "user", "content": "  "}]}, "messages.0.content"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
            "messages.0.content",
        ),
        ({"messages": [{"role": "user", "content": "Hi"}], "n": 2}, "n"),
        ({"messages": [{"role": "user", "content": "Hi"}], "beaver": {"skills": ["nope"]}}, "skills"),
        ({"messages": [{"role": "user", "content": "Hi"}], "metadata": nested(500)}, "metadata"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
async def test_a_bad_request_is_a_400_that_names_the_field(
    server: RunningChatServer, body: dict[str, Any], param: str, stream: bool
) -> None:
    response = await server.client.post("/v1/chat/completions", json={**body, "stream": stream})
    assert response.status_code == 400
    error = response.json()["error"]
    assert (error["type"], error["code"], error["param"]) == ("invalid_request_error", "invalid_input", param)


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "once"}])
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/sessions/s-1/runs", {"prompt": "Hi", "skills": ["nope"]}),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Hi"}], "beaver": {"skills": ["nope"]}}),
        ("/v1/chat/completions", {"messages": RESENT, "user": "ada", "beaver": {"skills": ["nope"]}}),
    ],
)
async def test_what_would_never_run_is_refused_before_anything_is_recorded(
    server: RunningChatServer, path: str, body: dict[str, Any], headers: dict[str, str]
) -> None:
    for _ in range(2):
        response = await server.client.post(path, json=body, headers=headers)
        assert (response.status_code, response.json()["error"]["param"]) == (400, "skills")
    assert (await server.client.get("/v1/sessions")).json()["data"] == []


HI = {"role": "user", "content": "Hi"}
JSON_TYPE = "application/json"
NO_OBJECT = "must be one JSON object, sent with Content-Type: application/json"


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("chat/completions", {}, "messages: is required"),
        ("chat/completions", {"messages": []}, "messages: must have at least 1 item after validation, not 0"),
        ("chat/completions", {"messages": [{**HI, "content": 5}]}, "messages.0.content: must be a valid string"),
        ("chat/completions", {"messages": [HI], "n": 2}, "n: must be less than or equal to 1"),
        ("responses", {"input": 5}, "input: must be a valid string"),
        ("responses", {"input": [{"role": "user", "content": 5}]}, "input: must be a valid string"),
        ("sessions/s-1/runs", {}, "prompt: is required"),
    ],
)
async def test_a_message_names_the_field_as_the_client_wrote_it_and_the_rule(
    server: RunningChatServer, path: str, body: dict[str, Any], message: str
) -> None:
    error = (await server.client.post(f"/v1/{path}", json=body)).json()["error"]
    assert error["message"] == message
    assert error["param"] == message.partition(":")[0]


@pytest.mark.parametrize(
    ("content", "content_type", "rule"),
    [
        (b"{", JSON_TYPE, "must be JSON: there is a mistake at character 1"),
        (b'{"n": 1,}', JSON_TYPE, "must be JSON: there is a mistake at character 8"),
        (b"", JSON_TYPE, NO_OBJECT),
        (b"[]", JSON_TYPE, NO_OBJECT),
        (json.dumps({"messages": [HI]}).encode(), "application/x-www-form-urlencoded", NO_OBJECT),
    ],
)
async def test_what_is_no_object_in_json_is_said_of_the_body(
    server: RunningChatServer, content: bytes, content_type: str, rule: str
) -> None:
    refused = await server.client.post("/v1/chat/completions", content=content, headers={"Content-Type": content_type})
    error = refused.json()["error"]
    assert (refused.status_code, error["param"], error["message"]) == (400, "body", f"body: {rule}")


@pytest.mark.parametrize("session", ["../etc", "a/b", "..", "x" * 257])
async def test_a_bad_session_id_is_refused_before_anything_runs(server: RunningChatServer, session: str) -> None:
    response = await server.say("Hello", session)
    assert response.status_code == 400
    assert response.json()["error"]["param"] == "X-Beaver-Session"
    assert (await server.client.get("/v1/sessions")).json()["data"] == []


async def test_what_is_not_json_is_refused_in_the_same_shape_and_not_quoted(server: RunningChatServer) -> None:
    headers = {"Content-Type": "application/json"}
    response = await server.client.post("/v1/chat/completions", content=b'{"canary', headers=headers)
    assert response.status_code == 400
    assert "canary" not in response.text
    assert response.json()["error"]["code"] == "invalid_input"


async def test_a_form_of_a_foreign_web_page_starts_no_run(server: RunningChatServer) -> None:
    body = json.dumps({"messages": [{"role": "user", "content": "Hi"}]})
    response = await server.client.post("/v1/chat/completions", content=body, headers={"Content-Type": "text/plain"})
    assert response.status_code == 400
    assert (await server.client.get("/v1/sessions")).json()["data"] == []


async def test_a_body_over_the_bound_is_a_413_with_or_without_its_length(server: RunningChatServer) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(BODY_BYTES_MAX // 1_000_000 + 1):
            yield b"x" * 1_000_000

    headers = {"Content-Type": "application/json"}
    known = await server.client.post("/v1/chat/completions", content=b"x" * (BODY_BYTES_MAX + 1), headers=headers)
    unknown = await server.client.post("/v1/chat/completions", content=pieces(), headers=headers)
    assert (known.status_code, unknown.status_code) == (413, 413)
    assert known.json()["error"]["code"] == "payload_too_large"


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nope", 404), ("DELETE", "/v1/models", 405)])
async def test_unknown_paths_and_methods_have_the_same_shape(
    server: RunningChatServer, method: str, path: str, status: int
) -> None:
    response = await server.client.request(method, path)
    assert response.status_code == status
    assert set(response.json()["error"]) == {"message", "type", "code", "param"}
