"""The way of turns: added, flushed and found, by our own client too, by many at once, and over a crash."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from beaver.client.gateway import GatewayCallError, MemoryGatewayClient
from beaver.config.memory import GatewaySettings
from beaver.schemas.gateway import AddReceipt, FlushReceipt, GatewayMessage, SearchResponse
from tests.support.http import loopback_client
from tests.support.memory_gateway import MORNING_MS, GatewayUser, gateway_process, new_user


async def test_the_turn_of_the_documents_is_added_flushed_and_found(http: httpx.AsyncClient) -> None:
    user = await new_user(http, "gateway_test_user")
    identity = {
        "user_id": user.user_id,
        "user_key": user.user_key,
        "app_id": "default",
        "project_id": "default",
    }
    messages = [
        {"sender_id": user.user_id, "role": "user", "timestamp": 1780000000000, "content": "I moved to Lisbon."},
        {"sender_id": "beaver", "role": "assistant", "timestamp": 1780000001000, "content": "Enjoy the sunshine!"},
    ]

    added = await http.post("/memories/add", json={**identity, "session_id": "chat:s1", "messages": messages})
    flushed = await http.post("/memories/flush", json={**identity, "session_id": "chat:s1"})
    search = {"conversation_id": "s1", "query": "Where did I move? Lisbon?", "scope": ["current_chat"], "top_k": 8}
    found = await http.post("/memories/search", json={**identity, **search})

    assert (added.status_code, flushed.status_code, found.status_code) == (200, 200, 200)
    receipt = AddReceipt.model_validate(added.json())
    assert (receipt.session_id, len(receipt.message_ids), receipt.duplicated) == ("chat:s1", 2, False)
    assert FlushReceipt.model_validate(flushed.json()) == FlushReceipt(
        session_id="chat:s1", flushed_messages=2, captured=1
    )
    # What a flush makes of the message, an observation, may stand for it: it names the message then.
    results = SearchResponse.model_validate(found.json()).results
    (result,) = [one for one in results if receipt.message_ids[0] in (one.id, *(one.raw or {}).get("also", ()))]
    assert result.session_id == "chat:s1"
    assert (result.text or "").startswith("I moved to Lisbon")
    assert (result.source_scope, result.resource_uri) == ("current_chat", None)


async def test_our_own_client_is_understood(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    settings = GatewaySettings(base_url=str(http.base_url), user_id="ada", user_key=SecretStr(ada.user_key))
    client = MemoryGatewayClient(settings)
    message = GatewayMessage(sender_id="ada", role="user", timestamp=MORNING_MS, content="I keep bees.")
    try:
        for _ in range(2):
            await client.add(session_id="s", messages=[message], idempotency_key="run-1")
        await client.flush(session_id="s")
        (item,) = await client.search("s", "who keeps bees?")
        assert (item.session_id, item.text, item.source_scope) == ("chat:s", "I keep bees.", "current_chat")
        assert (await ada.flush("s")).json()["flushed_messages"] == 0
        with pytest.raises(GatewayCallError) as raised:
            await client.add(session_id="s", messages=[message, message], idempotency_key="run-1")
        assert (raised.value.status, raised.value.outcome) == (409, "refused")
    finally:
        await client.aclose()


async def test_app_and_project_are_default_when_left_out(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    await ada.add("s", "The kettle is blue")
    body = {"user_id": ada.user_id, "user_key": ada.user_key, "conversation_id": "s", "query": "kettle"}
    response = await http.post("/memories/search", json={**body, "scope": ["current_chat"]})
    assert [result["text"] for result in response.json()["results"]] == ["The kettle is blue"]


async def test_health_needs_no_key(http: httpx.AsyncClient) -> None:
    response = await http.get("/health")
    assert (response.status_code, response.json()["status"]) == (200, "ok")


async def test_a_flush_can_be_repeated(ada: GatewayUser) -> None:
    await ada.add("s", "one", "two")
    assert [(await ada.flush("s")).json()["flushed_messages"] for _ in range(2)] == [2, 0]
    await ada.add("s", "three")
    assert (await ada.flush("s")).json()["flushed_messages"] == 1


async def test_a_flush_covers_its_session_only(ada: GatewayUser) -> None:
    await ada.add("a", "one")
    await ada.add("b", "two")
    figures = {"flushed_messages": 1, "captured": 0, "taken_back": 0}
    assert (await ada.flush("a")).json() == {"session_id": "chat:a", **figures}
    assert (await ada.flush("never")).json()["flushed_messages"] == 0


async def test_a_flush_counts_what_it_took_back(ada: GatewayUser) -> None:
    await ada.add("s", "I live in Paris.")
    await ada.flush("s")
    await ada.add("s", "Forget that I live in Paris.")
    assert (await ada.flush("s")).json()["taken_back"] == 1
    assert "Paris" not in str(await ada.search("Where do I live, in Paris?"))


async def test_what_was_added_outlives_kill_9_and_so_does_its_receipt(tmp_path: Path) -> None:
    async with gateway_process(tmp_path) as process:
        async with loopback_client(process.url) as http:
            user = await new_user(http, "ada")
            receipt = (await user.add("s", "The spare key is at Olga's", key="run-1")).json()
            process.kill()
            await process.start()
            assert await user.texts("who has the spare key?") == ["The spare key is at Olga's"]
            again = (await user.add("s", "The spare key is at Olga's", key="run-1")).json()
            assert again == {**receipt, "duplicated": True}
            assert (await user.add("s", "another body", key="run-1")).status_code == 409
        assert process.stop() == 0
        log = process.log.read_text()
    assert "gateway.started" in log
    assert "gateway.stopped" in log
    assert user.user_key not in log
    assert "Olga" not in log


async def test_fifty_adds_and_searches_at_once_all_succeed(ada: GatewayUser) -> None:
    added = await asyncio.gather(*(ada.add(f"s{number % 5}", f"parallel fact number {number}") for number in range(50)))
    assert {response.status_code for response in added} == {200}
    both: list[Any] = await asyncio.gather(
        *(ada.texts(f"fact number {number}") for number in range(25)),
        *(ada.add("s", f"later fact {number}") for number in range(25)),
    )
    for number in range(25):
        assert both[number][0] == f"parallel fact number {number}"
    flushed = await asyncio.gather(*(ada.flush(f"s{number}") for number in range(5)))
    assert sum(response.json()["flushed_messages"] for response in flushed) == 50
