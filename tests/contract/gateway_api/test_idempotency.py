"""A call repeated under one `Idempotency-Key` is done once."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from tests.support.memory_gateway import GatewayUser, new_user


async def test_30_a_retried_add_is_a_no_op_with_the_same_receipt(ada: GatewayUser) -> None:
    first = (await ada.add("s", "Remember the milk", key="run-1")).json()
    again = (await ada.add("s", "Remember the milk", key="run-1")).json()
    assert again == {**first, "duplicated": True}
    assert first["duplicated"] is False
    assert (await ada.flush("s")).json()["flushed_messages"] == 1


async def test_a_key_that_stood_for_another_body_is_a_conflict(ada: GatewayUser) -> None:
    await ada.add("s", "Remember the milk", key="run-1")
    response = await ada.add("s", "Remember the bread", key="run-1")
    assert (response.status_code, response.json()["error"]["code"]) == (409, "conflict")
    assert await ada.texts("bread") == []


async def test_without_a_key_the_same_body_is_stored_twice(ada: GatewayUser) -> None:
    await ada.add("s", "ping")
    await ada.add("s", "ping")
    assert (await ada.flush("s")).json()["flushed_messages"] == 2


async def test_keys_of_two_users_are_apart(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    bob = await new_user(http, "bob")
    await ada.add("s", "from ada", key="run-1")
    response = await bob.add("s", "from bob", key="run-1")
    assert (response.status_code, response.json()["duplicated"]) == (200, False)


async def test_a_retried_document_is_not_replaced_by_itself(ada: GatewayUser) -> None:
    headers = {"Idempotency-Key": "doc-1"}
    body = {"uri": "file:///a", "text": "About herons."}
    first = await ada.call("/resources", body, headers)
    again = await ada.call("/resources", body, headers)
    assert (first.json(), again.json()) == ({"uri": "file:///a", "chunks": 1, "replaced": False},) * 2


async def test_a_retried_user_is_the_same_user_and_both_keys_work(http: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "setup"}
    first, again = [(await http.post("/users", json={}, headers=headers)).json() for _ in range(2)]
    assert first["user_id"] == again["user_id"]
    for receipt in (first, again):
        user = GatewayUser(http, receipt["user_id"], receipt["user_key"])
        assert (await user.flush("s")).status_code == 200


@pytest.mark.parametrize("key", ["", "x" * 256])
async def test_a_key_that_is_none_is_refused(ada: GatewayUser, key: str) -> None:
    response = await ada.call(
        "/memories/add",
        {
            "session_id": "chat:s",
            "messages": [{"sender_id": "ada", "role": "user", "timestamp": 1, "content": "x"}],
        },
        {"Idempotency-Key": key},
    )
    assert (response.status_code, response.json()["error"]["param"]) == (400, "Idempotency-Key")


async def test_many_senders_of_one_key_store_one_turn(ada: GatewayUser) -> None:
    receipts = [
        response.json() for response in await asyncio.gather(*(ada.add("s", "once", key="one") for _ in range(20)))
    ]
    assert len({tuple(receipt["message_ids"]) for receipt in receipts}) == 1
    assert sorted(receipt["duplicated"] for receipt in receipts) == [False] + [True] * 19
    assert (await ada.flush("s")).json()["flushed_messages"] == 1
