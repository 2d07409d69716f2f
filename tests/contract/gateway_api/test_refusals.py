"""What the Gateway refuses, with the field and the rule."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.support.memory_gateway import GatewayUser, new_user, running_gateway


async def test_a_wrong_key_and_an_unknown_user_are_refused_alike(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    wrong = await GatewayUser(http, ada.user_id, "uk_" + "x" * 43).flush("s")
    unknown = await GatewayUser(http, "nobody", ada.user_key).flush("s")
    assert wrong.status_code == 401
    assert wrong.json()["error"]["code"] == "unauthorized"
    assert (unknown.status_code, unknown.content) == (wrong.status_code, wrong.content)


async def test_a_key_of_another_user_is_refused(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    bob = await new_user(http, "bob")
    assert (await GatewayUser(http, ada.user_id, bob.user_key).add("s", "x")).status_code == 401


@pytest.mark.parametrize(
    ("path", "change", "param"),
    [
        ("/memories/search", {"top_k": 0}, "top_k"),
        ("/memories/search", {"top_k": 101}, "top_k"),
        ("/memories/search", {"top_k": True}, "top_k"),
        ("/memories/search", {"scope": []}, "scope"),
        ("/memories/search", {"scope": ["everything"]}, "scope.0"),
        ("/memories/search", {"conversation_id": " "}, "conversation_id"),
        ("/memories/search", {"user_id": "a\nb"}, None),
        ("/memories/search", {"app_id": "x" * 257}, "app_id"),
        ("/memories/flush", {"session_id": ""}, "session_id"),
        ("/memories/flush", {"session_id": "a\x00b"}, "session_id"),
        ("/memories/add", {"messages": []}, "messages"),
        ("/memories/add", {"messages": [{"role": "user"}]}, "messages.0.sender_id"),
        ("/resources", {"uri": " "}, "uri"),
        ("/resources", {"uri": "x" * 2049}, "uri"),
    ],
)
async def test_a_broken_rule_names_its_field(
    ada: GatewayUser, path: str, change: dict[str, Any], param: str | None
) -> None:
    whole: dict[str, dict[str, Any]] = {
        "/memories/search": {"conversation_id": "s", "query": "q", "scope": ["resources"]},
        "/memories/flush": {"session_id": "chat:s"},
        "/memories/add": {"session_id": "chat:s", "messages": []},
        "/resources": {"uri": "file:///a", "text": "x"},
    }
    response = await ada.call(path, {**whole[path], **change})
    if param is None:
        assert response.status_code == 401
    else:
        assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_input")
        assert response.json()["error"]["param"] == param


@pytest.mark.parametrize("timestamp", [0, -1, True, 1.5, "1", 10**18])
async def test_a_time_that_is_none_is_refused_and_nothing_is_stored(ada: GatewayUser, timestamp: Any) -> None:
    message = {"sender_id": "ada", "role": "user", "timestamp": timestamp, "content": "early bird"}
    response = await ada.call("/memories/add", {"session_id": "chat:s", "messages": [message]})
    assert (response.status_code, response.json()["error"]["param"]) == (400, "messages.0.timestamp")
    assert await ada.texts("bird") == []


async def test_14_unknown_keys_are_refused_by_name(ada: GatewayUser) -> None:
    response = await ada.call(
        "/memories/search", {"conversation_id": "s", "query": "q", "scope": ["resources"], "filter_by": {}}
    )
    assert response.status_code == 400
    assert response.json()["error"] == {
        "message": "filter_by: is not a known key",
        "type": "invalid_request_error",
        "code": "invalid_input",
        "param": "filter_by",
    }


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}"])
async def test_what_is_not_json_is_invalid_json(http: httpx.AsyncClient, body: bytes) -> None:
    response = await http.post("/memories/add", content=body, headers={"content-type": "application/json"})
    assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_json")


@pytest.mark.parametrize("body", ["[]", '"text"', "1", "null"])
async def test_json_that_is_no_object_is_refused(http: httpx.AsyncClient, body: str) -> None:
    response = await http.post("/memories/add", content=body, headers={"content-type": "application/json"})
    assert (response.status_code, response.json()["error"]["param"]) == (400, "body")


@pytest.mark.parametrize(
    ("media", "status"),
    [
        ("application/json; charset=utf-8", 200),
        ("application/vnd.beaver+json", 200),
        ("text/plain", 400),
        ("application/x-www-form-urlencoded", 400),
    ],
)
async def test_the_body_must_call_itself_json(http: httpx.AsyncClient, media: str, status: int) -> None:
    response = await http.post("/users", content=b"{}", headers={"content-type": media})
    assert response.status_code == status


async def test_a_body_without_a_type_is_read_as_json(http: httpx.AsyncClient) -> None:
    assert (await http.post("/users", content=b"{}")).status_code == 200


async def test_unknown_paths_and_methods_have_problems_too(http: httpx.AsyncClient) -> None:
    missing, wrong = await http.post("/memory/forget", json={}), await http.put("/memories/add")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "method_not_allowed")
    assert wrong.headers["allow"] == "POST"


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_over_the_limit_is_refused_while_it_is_read(memory_url: str, declared: bool) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b" " * 1000

    async with running_gateway(memory_url, body_bytes_max=20_000) as http:
        content = b" " * 40_000 if declared else pieces()
        response = await http.post("/users", content=content, headers={"content-type": "application/json"})
        assert (response.status_code, response.json()["error"]["code"]) == (413, "payload_too_large")
        assert (await http.get("/health")).status_code == 200
