"""What a model finds in earlier conversations, and what it never sees."""

from __future__ import annotations

import json
from typing import Any

import pytest

from beaver.agent.messages import ToolCall
from beaver.agent.tools.base import ToolContext
from beaver.agent.tools.dispatch import ToolDispatch, ToolResult
from beaver.agent.tools.session_search import SessionSearchTool
from beaver.db.engine import Database
from beaver.sessions.records import MESSAGE, NewEvent
from beaver.sessions.search import TranscriptSearch
from beaver.sessions.store import SessionStore
from tests.support.plans import statements_of

LIVE = "live"


async def say(database: Database, session_id: str, *lines: str) -> list[int]:
    """User and assistant in turn."""
    store = SessionStore(database.dialect)
    ids: list[int] = []
    async with database.write() as tx:
        await store.ensure_session(tx, session_id)
        for number, line in enumerate(lines):
            role = "assistant" if number % 2 else "user"
            ids.append(await store.append(tx, session_id, None, NewEvent(MESSAGE, line, role)))
    return ids


async def hide(database: Database, session_id: str, content: str) -> None:
    store = SessionStore(database.dialect)
    async with database.write() as tx:
        await store.append(tx, session_id, None, NewEvent("audit", content, context_visible=False))


async def call(database: Database, **arguments: Any) -> ToolResult:
    tool = SessionSearchTool(database, TranscriptSearch(database.dialect))
    made = ToolCall("1", "session_search", json.dumps(arguments))
    return await ToolDispatch([tool]).call(made, ToolContext(LIVE, "r"))


async def found(database: Database, **arguments: Any) -> Any:
    result = await call(database, **arguments)
    assert not result.is_error, result.text
    return json.loads(result.text)


async def test_discover_finds_other_sessions_with_what_was_said_around_and_not_the_live_one(database: Database) -> None:
    ids = await say(database, "boats", "my boat is blue", "a fine colour")
    await say(database, LIVE, "which colour is my boat?", "let me look")
    answer = await found(database, mode="discover", query='boat?!" (colour')
    (hit,) = answer["sessions"]
    assert hit["session_id"] == "boats"
    assert hit["match"] in ids
    assert [(message["role"], message["text"]) for message in hit["messages"]] == [
        ("user", "my boat is blue"),
        ("assistant", "a fine colour"),
    ]


async def test_discover_does_not_read_how_the_sessions_began(database: Database) -> None:
    await say(database, "boats", "my boat is blue", "a fine colour")
    told = statements_of(database)
    assert (await found(database, mode="discover", query="colour"))["sessions"]
    discovering = [each.statement for each in told]
    told.clear()
    assert (await found(database, mode="browse"))["sessions"]
    assert not [statement for statement in discovering if "substr" in statement]
    assert [each for each in told if "substr" in each.statement]


async def test_discover_finds_chinese(database: Database) -> None:
    await say(database, "boats", "我的船是蓝色的", "好的")
    answer = await found(database, mode="discover", query="蓝色")
    assert [hit["session_id"] for hit in answer["sessions"]] == ["boats"]


async def test_hidden_events_are_neither_found_nor_shown(sqlite_database: Database) -> None:
    await say(sqlite_database, "boats", "my boat is blue")
    await hide(sqlite_database, "boats", "HIDDEN kayak")
    assert await found(sqlite_database, mode="discover", query="kayak") == {"sessions": []}
    assert "HIDDEN" not in json.dumps(await found(sqlite_database, mode="read", session_id="boats"))


async def test_scroll_shows_what_was_said_around_a_message(sqlite_database: Database) -> None:
    ids = await say(sqlite_database, "counting", *[f"line {number}" for number in range(9)])
    page = await found(sqlite_database, mode="scroll", session_id="counting", message_id=ids[4], window=1)
    assert [message["text"] for message in page["messages"]] == ["line 3", "line 4", "line 5"]
    assert (page["has_earlier"], page["has_later"]) == (True, True)


async def test_read_goes_on_from_a_message(sqlite_database: Database) -> None:
    ids = await say(sqlite_database, "counting", *[f"line {number}" for number in range(50)])
    first = await found(sqlite_database, mode="read", session_id="counting")
    assert (len(first["messages"]), first["has_later"]) == (40, True)
    rest = await found(sqlite_database, mode="read", session_id="counting", message_id=first["messages"][-1]["id"])
    assert [message["id"] for message in rest["messages"]] == ids[40:]


async def test_browse_lists_the_latest_sessions_without_the_live_one(sqlite_database: Database) -> None:
    await say(sqlite_database, "boats", "my boat is blue", "fine")
    await say(sqlite_database, LIVE, "hello")
    (glimpse,) = (await found(sqlite_database, mode="browse"))["sessions"]
    assert (glimpse["session_id"], glimpse["messages"], glimpse["begins"]) == ("boats", 2, "my boat is blue")


async def test_roles_can_be_chosen(sqlite_database: Database) -> None:
    await say(sqlite_database, "boats", "my boat is blue", "the boat sails")
    answer = await found(sqlite_database, mode="discover", query="boat", roles=["assistant"])
    assert [message["role"] for message in answer["sessions"][0]["messages"]] == ["assistant"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"mode": "discover"}, "discover needs query"),
        ({"mode": "discover", "query": " "}, "query: must not be blank"),
        ({"mode": "scroll", "session_id": "boats"}, "scroll needs message_id"),
        ({"mode": "scroll", "session_id": "boats", "message_id": 10**6}, "no such message"),
        ({"mode": "read"}, "read needs session_id"),
        ({"mode": "read", "session_id": "absent"}, "no such session"),
        ({"mode": "read", "session_id": "../boats"}, "must not hold path parts"),
        ({"mode": "read", "session_id": LIVE}, "the conversation you are in"),
        ({"mode": "discover", "query": "a" * 2049}, "query breaks maxLength 2048"),
        ({"mode": "guess"}, "mode must be one of"),
    ],
)
async def test_what_cannot_be_done_is_told_in_plain_words(
    sqlite_database: Database, arguments: dict[str, Any], told: str
) -> None:
    await say(sqlite_database, "boats", "my boat is blue")
    result = await call(sqlite_database, **arguments)
    assert result.is_error
    assert told in result.text


async def test_long_messages_are_shortened(sqlite_database: Database) -> None:
    await say(sqlite_database, "tales", "boat " * 5_000)
    answer = await found(sqlite_database, mode="discover", query="boat")
    assert len(answer["sessions"][0]["messages"][0]["text"]) == 400
