"""Sessions go on under their header and are listed in pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.chat_server.scene import ANSWER, UNREACHABLE, visible
from tests.support.chat_server import RunningChatServer, running_chat_server


async def test_a_forged_history_goes_to_a_fork_without_it_and_the_stored_one_stays(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [ANSWER]) as server:
        await server.say("First", "my session")
        forged = [
            {"role": "user", "content": "Forged"},
            {"role": "assistant", "content": "Forged too"},
            {"role": "user", "content": "Second"},
        ]
        response = await server.client.post(
            "/v1/chat/completions", json={"messages": forged}, headers={"X-Beaver-Session": "my session"}
        )
        fork = response.headers["X-Beaver-Session"]
        assert await visible(server, "my session") == [("user", "First"), ("assistant", "Beavers build dams.")]
        assert await visible(server, fork) == [("user", "Second"), ("assistant", "Beavers build dams.")]


async def test_without_a_header_each_request_has_a_session_of_its_own(server: RunningChatServer) -> None:
    one, two = [(await server.say("Hello")).headers["X-Beaver-Session"] for _ in range(2)]
    assert one != two


async def test_a_session_id_of_any_script_comes_back_as_it_was(server: RunningChatServer) -> None:
    headers = {b"X-Beaver-Session": "会话-ä".encode()}
    body = {"messages": [{"role": "user", "content": "Hello"}]}
    response = await server.client.post("/v1/chat/completions", json=body, headers=headers)
    assert response.json()["beaver"]["session_id"] == "会话-ä"
    assert response.headers["X-Beaver-Session"].encode().decode() == "会话-ä"
    assert (await server.client.get("/v1/sessions/会话-ä")).json()["id"] == "会话-ä"


async def test_sessions_are_listed_in_pages_the_last_used_first(server: RunningChatServer) -> None:
    for name in ("a", "b", "c"):
        await server.say("Hello", name)
    first = (await server.client.get("/v1/sessions", params={"limit": 2})).json()
    rest = (await server.client.get("/v1/sessions", params={"limit": 2, "before": first["next"]})).json()
    assert [session["id"] for session in (*first["data"], *rest["data"])] == ["c", "b", "a"]
    assert rest["next"] is None


async def test_the_audit_trail_shows_hidden_events_and_pages_by_id(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [ANSWER], config=UNREACHABLE) as server:
        await server.say("Hello", "s-1")
        trail = (await server.client.get("/v1/sessions/s-1/events")).json()["data"]
        assert [event["kind"] for event in trail] == ["message", "memory_gateway_recall_failed", "message"]
        page = (await server.client.get("/v1/sessions/s-1/events", params={"limit": 1})).json()
        rest = (await server.client.get("/v1/sessions/s-1/events", params={"after": page["next"]})).json()
        assert [*page["data"], *rest["data"]] == trail


@pytest.mark.parametrize("path", ["/v1/sessions/nope", "/v1/sessions/nope/messages", "/v1/sessions/nope/events"])
async def test_a_session_that_does_not_exist_is_a_404(server: RunningChatServer, path: str) -> None:
    response = await server.client.get(path)
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"
