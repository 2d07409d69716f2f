"""Sessions go on under their header and are listed in pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beaver.agent.messages import Completion, ToolCall, Usage
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


async def page_of(server: RunningChatServer, **params: int) -> tuple[list[str], bool, dict[str, Any]]:
    """A page's texts, whether there is more, and the page."""
    page = (await server.client.get("/v1/sessions/s-1/messages", params=params)).json()
    return [message["content"] for message in page["data"]], page["has_more"], page


async def test_messages_are_paged_from_the_newest_back_and_from_the_first_on(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [ANSWER]) as server:
        for number in range(3):
            await server.say(f"Question {number}", "s-1")
        newest, has_more, page = await page_of(server, limit=3)
        assert (newest, has_more) == (["Question 2", "Beavers build dams."], True)
        before, has_more, page = await page_of(server, limit=4, before=page["data"][0]["id"])
        assert (before[::2], has_more) == (["Question 0", "Question 1"], False)
        first = page["data"][0]["id"]
        after, has_more, page = await page_of(server, limit=4, after=first)
        assert (after[1::2], has_more) == (["Question 1", "Question 2"], True)
        rest, has_more, page = await page_of(server, limit=4, after=page["next"])
        assert (rest, has_more, page["next"]) == (["Beavers build dams."], False, None)


async def test_a_turn_longer_than_a_page_is_read_page_by_page_and_nothing_is_lost(tmp_path: Path) -> None:
    looks = Completion("", (ToolCall("c", "session_search", '{"query": "dams"}'),), Usage(), "tool_calls")
    async with running_chat_server(tmp_path, [looks, looks, looks, ANSWER]) as server:
        await server.say("Question", "s-1")
        whole = (await page_of(server))[2]["data"]
        pages: list[dict[str, Any]] = []
        has_more = True
        before: dict[str, int] = {}
        while has_more:
            _, has_more, page = await page_of(server, limit=2, **before)
            pages = [*page["data"], *pages]
            before = {"before": page["data"][0]["id"]}
        assert pages == whole


async def test_both_cursors_at_once_are_refused(server: RunningChatServer) -> None:
    await server.say("Hello", "s-1")
    refused = await server.client.get("/v1/sessions/s-1/messages", params={"before": 1, "after": 1})
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "after")
