"""What became of memories, over HTTP: history, evidence, the archive, and the export of all."""

from __future__ import annotations

import hashlib
import io
import json
import time

import httpx
import pytest

from beaver.memory.namespace import Namespace
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.upkeep.policy import DAY_MS, RetentionPolicy
from tests.support.memory_gateway import GatewayUser, new_user
from tests.support.memory_views import observation
from tests.support.waiting import wait_until

REMEMBER = "Remember that the spare key lies under the blue pot."


async def learned(user: GatewayUser) -> tuple[str, str]:
    """Say something worth remembering; the ids of the message and of the observation that came of it."""
    message_id = (await user.add("s", REMEMBER)).json()["message_ids"][0]
    await user.flush("s")
    (observation,) = (await user.asked("GET", "/memories", params={"kind": "observation"})).json()["memories"]
    return message_id, observation["id"]


async def test_an_observation_tells_its_history_and_what_it_was_learned_from(ada: GatewayUser) -> None:
    message_id, observation_id = await learned(ada)
    await ada.asked("PATCH", f"/memories/{observation_id}", json={"title": "The spare key"})
    told = (await ada.asked("GET", f"/memories/{observation_id}/history")).json()["history"]
    (source,) = (await ada.asked("GET", f"/memories/{observation_id}/evidence")).json()["evidence"]
    assert [entry["event"] for entry in told] == ["ADD", "UPDATE"]
    assert told[1]["after"]["title"] == "The spare key"
    assert (source["message_id"], source["message"]["text"]) == (message_id, REMEMBER)


async def test_28_what_maintenance_put_away_is_found_in_the_archive_and_restored(
    ada: GatewayUser, memory_url: str
) -> None:
    written = await ada.asked(
        "POST", "/tools/memory_write", json={"arguments": {"type": "event", "title": "The boiler was serviced"}}
    )
    memory_id = written.json()["result"]["id"]
    await _maintain_after(memory_url, days=31)
    assert (await ada.asked("GET", f"/memories/{memory_id}")).status_code == 404

    (found,) = (await ada.call("/archive/search", {"query": "boiler"})).json()["archived"]
    assert (found["memory"]["id"], found["reason"]) == (memory_id, "unused")
    assert (await ada.call("/archive/search", {"query": "roof"})).json() == {"archived": []}
    assert (await ada.asked("POST", f"/archive/{memory_id}/restore")).json()["title"] == "The boiler was serviced"
    assert (await ada.asked("POST", f"/archive/{memory_id}/restore")).status_code == 404
    assert (await ada.asked("GET", f"/memories/{memory_id}")).status_code == 200
    told = (await ada.asked("GET", f"/memories/{memory_id}/history")).json()["history"]
    assert [(entry["event"], entry["reason"]) for entry in told][1:] == [
        ("DELETE", "archived: unused"),
        ("ADD", "restored"),
    ]


async def test_what_a_search_answered_is_noted_as_used(ada: GatewayUser, memory_url: str) -> None:
    written = await ada.asked(
        "POST", "/tools/memory_write", json={"arguments": {"type": "event", "title": "The boiler was serviced"}}
    )
    memory_id = written.json()["result"]["id"]
    assert await ada.texts("boiler")
    runtime = await MemoryRuntime.open(memory_url)
    try:
        await wait_until(lambda: _is_used(runtime, memory_id), what="the use being noted")
    finally:
        await runtime.close()


async def _is_used(runtime: MemoryRuntime, memory_id: str) -> bool:
    return (await observation(runtime, Namespace("default", "default", "ada"), memory_id)).used_ms is not None


async def _maintain_after(url: str, *, days: int) -> None:
    later = await MemoryRuntime.open(url, clock=lambda: int(time.time() * 1000) + days * DAY_MS)
    try:
        assert (await later.maintain(RetentionPolicy())).ran
    finally:
        await later.close()


async def test_a_user_takes_all_of_their_memory_along_as_the_file_that_an_import_reads(
    ada: GatewayUser, memory_url: str
) -> None:
    await learned(ada)
    answer = await ada.asked("GET", "/users/ada/export")
    *lines, end = answer.content.splitlines(keepends=True)
    by_hand = io.BytesIO()
    runtime = await MemoryRuntime.open(memory_url)
    try:
        await runtime.export(Namespace("default", "default", "ada"), by_hand, lambda _done, _total: None)
    finally:
        await runtime.close()
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert json.loads(end)["sha256"] == hashlib.sha256(b"".join(lines)).hexdigest()
    assert answer.content == by_hand.getvalue()


async def test_nobody_takes_anothers_memory_along(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    bob = await new_user(http, "bob")
    await ada.add("s", "ada's own")
    bearer = {"Authorization": f"Bearer {bob.user_key}"}
    answers = [
        await http.get("/users/ada/export"),
        await http.get("/users/ada/export", headers=bearer),
        await http.get("/users/ada/export", headers={**bearer, "X-User-Id": "bob"}),
        await bob.asked("GET", "/users/bob/export"),
    ]
    assert [answer.status_code for answer in answers] == [401, 401, 400, 404]
    assert not any("ada's own" in answer.text for answer in answers)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/memories/{id}/history"),
        ("GET", "/memories/{id}/evidence"),
        ("POST", "/archive/{id}/restore"),
    ],
)
async def test_13_anothers_memory_is_not_found(
    http: httpx.AsyncClient, ada: GatewayUser, method: str, path: str
) -> None:
    _, observation_id = await learned(ada)
    bob = await new_user(http, "bob")
    await bob.add("s", "bob's own")
    assert (await bob.asked(method, path.format(id=observation_id))).status_code == 404
