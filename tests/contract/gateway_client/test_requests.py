"""What the client sends: path, body and headers, the same over sockets and over a stand-in transport."""

from __future__ import annotations

from contextlib import suppress

from beaver.client.gateway import GatewayCallError
from tests.contract.gateway_client.calls import FORGET_PATH, KEY, PATHS, TEXT, TURN, call
from tests.contract.gateway_client.door import Door


async def test_search_sends_the_path_and_the_body_of_the_documents(door: Door) -> None:
    door.answer(200, b'{"results": []}', {})

    assert await door.client.search("s-1", "where does the heron nest?") == []

    (asked,) = door.asked()
    assert (asked.method, asked.path) == ("POST", "/memories/search")
    assert asked.body == {
        "user_id": "maria",
        "user_key": KEY,
        "conversation_id": "s-1",
        "query": "where does the heron nest?",
        "scope": ["current_chat", "resources"],
        "top_k": 8,
        "app_id": "shop",
        "project_id": "support",
    }


async def test_add_sends_the_path_the_body_and_the_idempotency_key(door: Door) -> None:
    door.answer(200, b'{"session_id": "chat:s-1", "message_ids": ["1", "2"]}', {})

    await door.client.add(session_id="s-1", messages=TURN, idempotency_key="run_1")

    (asked,) = door.asked()
    assert (asked.method, asked.path) == ("POST", "/memories/add")
    assert asked.headers["idempotency-key"] == "run_1"
    assert asked.body == {
        "user_id": "maria",
        "user_key": KEY,
        "session_id": "chat:s-1",
        "app_id": "shop",
        "project_id": "support",
        "messages": [
            {"sender_id": "maria", "role": "user", "timestamp": 1780000000000, "content": TEXT},
            {"sender_id": "beaver", "role": "assistant", "timestamp": 1780000001000, "content": "Noted."},
        ],
    }


async def test_flush_sends_the_path_and_the_body_of_the_documents(door: Door) -> None:
    door.answer(200, b"{}", {})

    await door.client.flush(session_id="s-1")

    (asked,) = door.asked()
    assert (asked.method, asked.path) == ("POST", "/memories/flush")
    assert asked.body == {
        "user_id": "maria",
        "user_key": KEY,
        "session_id": "chat:s-1",
        "app_id": "shop",
        "project_id": "support",
    }


async def test_an_adds_receipt_tells_the_ids_of_its_messages_where_it_holds_any(door: Door) -> None:
    for body, ids in (
        (b'{"message_ids": ["1", "2"]}', ("1", "2")),
        (b'{"message_ids": [1, "", null, "2"]}', ("2",)),
        (b'{"message_ids": "12"}', ()),
        (b"{}", ()),
    ):
        door.answer(200, body, {})
        assert await door.client.add(session_id="s-1", messages=TURN, idempotency_key="run_1") == ids


async def test_a_message_is_forgotten_by_its_id_with_the_credentials_in_the_headers(door: Door) -> None:
    door.answer(200, b'{"messages": 1}', {})

    await door.client.forget("m-1")

    (asked,) = door.asked()
    assert (asked.method, asked.path) == ("DELETE", FORGET_PATH)
    assert (asked.headers["authorization"], asked.headers["x-user-id"]) == (f"Bearer {KEY}", "maria")
    assert asked.body is None


async def test_an_id_that_is_no_path_is_quoted(door: Door) -> None:
    with suppress(GatewayCallError):
        door.answer(404, b"{}", {})
        await door.client.forget("turn/1 é?.0")

    (asked,) = door.asked()
    assert asked.path == FORGET_PATH.replace("m-1", "turn%2F1%20%C3%A9%3F.0")


async def test_a_traceparent_goes_along_only_where_it_is_given(door: Door) -> None:
    door.answer(200, b"{}", {})
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    await door.client.flush(session_id="s-1")
    await door.client.flush(session_id="s-1", traceparent=parent)
    await door.client.add(session_id="s-1", messages=TURN, idempotency_key="run_1", traceparent=parent)

    assert [asked.headers.get("traceparent") for asked in door.asked()] == [None, parent, parent]


async def test_the_key_of_a_post_travels_in_the_body_and_nowhere_else(door: Door) -> None:
    door.answer(200, b'{"results": []}', {})

    for operation in PATHS.keys() - {"forget"}:
        await call(door.client, operation)

    for asked in door.asked():
        assert asked.body["user_key"] == KEY
        assert KEY not in asked.path
        assert KEY not in repr(dict(asked.headers))


async def test_text_with_lone_surrogates_and_any_script_arrives_readable(door: Door) -> None:
    door.answer(200, b'{"results": []}', {})

    await door.client.search("会议-1", "où est \ud83d le héron 🐦 在哪里")

    (asked,) = door.asked()
    assert (asked.body["conversation_id"], asked.body["query"]) == ("会议-1", "où est \ufffd le héron 🐦 在哪里")
