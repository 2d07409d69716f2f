"""The host's memory over HTTP, from what was said to what is forgotten."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from beaver.cli.local_memory.opening import open_local_store
from tests.contract.chat_server.scene import ANSWER
from tests.support.chat_server import RunningChatServer, running_chat_server
from tests.support.waiting import wait_until

LINTER = "Always run the linter before you commit"
POLICY = {"localStore": True, "writePolicy": "write", "localDeadlineMs": 10_000}
SESSION = "/v1/sessions/s-1/memory"


@pytest.fixture
async def remembering(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    config = {"memory": {"mode": "curated", "policy": POLICY}}
    async with running_chat_server(tmp_path, [ANSWER] * 3, config=config, open_items=open_local_store) as server:
        yield server


async def items(server: RunningChatServer) -> list[dict[str, Any]]:
    found = (await server.client.get(f"{SESSION}/items")).json()
    return [*found["active"], *found["recent"]]


async def test_what_was_said_is_listed_pinned_explained_and_forgotten(remembering: RunningChatServer) -> None:
    client = remembering.client
    await remembering.say(LINTER, "s-1")

    async def kept() -> bool:
        return [item["text"] for item in await items(remembering)] == [LINTER]

    await wait_until(kept, within_s=30, what="the item")
    [item] = await items(remembering)
    assert (item["type"], item["scope"], item["session"], item["source"]) == ("rule", "project", "s-1", "rules")

    pinned = await client.post(f"/v1/memory/items/{item['id']}/pin", json={})
    assert pinned.json()["pinned"] is True
    assert (await client.get(f"{SESSION}/items")).json()["active"] == [pinned.json()]

    await remembering.say("What must run before a commit?", "s-1")
    recall = (await client.get(f"{SESSION}/why")).json()["recall"]
    assert [memory["id"] for memory in recall["memories"]] == [item["id"]]
    assert (await client.get(SESSION)).json()["writes"]["accepted"] == 1

    forgotten = await client.post("/v1/memory/forget", json={"by": "id", "value": item["id"]})
    assert forgotten.json() == {"by": "id", "ids": [item["id"]]}
    assert await items(remembering) == []
    events = (await client.get("/v1/sessions/s-1/events")).json()["data"]
    assert [event["payload"]["actor"] for event in events if event["kind"] == "memory_forgotten"] == ["api:local"]


async def test_a_session_that_is_off_recalls_and_keeps_nothing(remembering: RunningChatServer) -> None:
    assert (await remembering.client.post(SESSION, json={"off": True})).json()["off"] is True
    await remembering.say(LINTER, "s-1")
    recall = (await remembering.client.get(f"{SESSION}/why")).json()["recall"]

    assert (recall["decision"], recall["reason"]) == ("skip", "off")
    assert (await remembering.client.get(SESSION)).json()["writes"]["turns"] == 0


async def test_a_line_of_the_chat_is_answered_in_lines(remembering: RunningChatServer) -> None:
    answer = await remembering.client.post(f"{SESSION}/command", json={"line": "/memory forget nobody"})

    assert answer.json() == {"lines": ["not found"]}


@pytest.mark.parametrize(
    ("path", "body", "status", "param"),
    [
        ("/v1/memory/items/nobody/pin", {"pinned": True}, 404, None),
        ("/v1/memory/items/nobody/pin", {"pinned": "yes"}, 400, "pinned"),
        ("/v1/memory/forget", {"by": "id", "value": "nobody"}, 404, None),
        ("/v1/memory/forget", {"by": "id"}, 400, "value"),
        ("/v1/memory/forget", {"by": "user", "value": "ada"}, 400, "value"),
        ("/v1/memory/forget", {"by": "tag", "value": "x" * 60}, 400, "value"),
        ("/v1/memory/forget", {"by": "all"}, 400, "by"),
        (SESSION, {"off": 1}, 400, "off"),
        (f"{SESSION}/command", {"line": " "}, 400, "line"),
        ("/v1/sessions/a%5Cb/memory", {"off": True}, 400, "session_id"),
    ],
)
async def test_a_bad_request_names_the_field_and_an_unknown_id_is_not_found(
    server: RunningChatServer, path: str, body: dict[str, Any], status: int, param: str | None
) -> None:
    refused = await server.client.post(path, json=body)

    assert refused.status_code == status
    assert refused.json()["error"]["param"] == param
    if status == 404:
        assert refused.json()["error"]["message"] == "not found"
