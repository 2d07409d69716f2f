"""The memory tools and the prompt index over HTTP: what a key and a situation's trust allow, and nothing beyond."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from beaver.memory.tools.table import TOOLS
from tests.support.memory_gateway import GatewayUser, new_user

TEA = {"type": "preference", "title": "Tea", "facts": ["likes green tea"]}


async def use(user: GatewayUser, tool: str, arguments: dict[str, Any], **more: Any) -> httpx.Response:
    headers = more.pop("headers", {})
    return await user.asked("POST", f"/tools/{tool}", json={"arguments": arguments, **more}, headers=headers)


async def test_every_tool_is_told_with_its_schema(ada: GatewayUser) -> None:
    told = (await ada.asked("GET", "/tools")).json()["tools"]
    assert [tool["name"] for tool in told] == [tool.name for tool in TOOLS]
    assert all(tool["parameters"]["additionalProperties"] is False for tool in told)
    assert (await ada.http.get("/tools")).status_code == 401


async def test_a_model_writes_finds_and_looks_back_through_its_tools(ada: GatewayUser) -> None:
    written = (await use(ada, "memory_write", TEA, session_id="chat:s")).json()
    assert (written["tool"], written["result"]["outcome"]) == ("memory_write", "added")
    found = (await use(ada, "memory_search", {"query": "green tea"})).json()["result"]["results"]
    past = (await use(ada, "memory_history", {"id": found[0]["id"]})).json()["result"]["history"]
    assert [one["id"] for one in found] == [written["result"]["id"]]
    assert [entry["event"] for entry in past] == ["ADD"]


async def test_30_a_tools_write_under_one_key_is_done_once(ada: GatewayUser) -> None:
    first, again = [
        (await use(ada, "memory_write", TEA, headers={"Idempotency-Key": "call-1"})).json() for _ in range(2)
    ]
    other = await use(ada, "memory_write", {**TEA, "title": "Coffee"}, headers={"Idempotency-Key": "call-1"})
    (held,) = (await ada.asked("GET", "/memories")).json()["memories"]
    assert again == first
    assert held["mention_count"] == 1
    assert other.status_code == 409


async def test_a_tool_reaches_no_further_than_the_situation_is_trusted(ada: GatewayUser) -> None:
    private = (await use(ada, "memory_write", TEA)).json()["result"]["id"]
    assert (await use(ada, "memory_get", {"ids": [private]}, trust="owner")).status_code == 200
    assert (await use(ada, "memory_get", {"ids": [private]}, trust="familiar")).status_code == 404
    assert (await use(ada, "memory_search", {"query": "tea"}, trust="public")).status_code == 403
    assert (await use(ada, "memory_search", {"query": "tea"}, trust="inner")).json()["result"] == {"results": []}


async def test_one_user_calls_no_tool_on_anothers_memory(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    written = (await use(ada, "memory_write", TEA)).json()["result"]["id"]
    bob = await new_user(http, "bob")
    assert (await use(bob, "memory_get", {"ids": [written]})).status_code == 404
    assert (await use(bob, "memory_search", {"query": "tea"})).json()["result"] == {"results": []}


@pytest.mark.parametrize(
    ("tool", "body", "param"),
    [
        ("memory_dream", {}, "tool"),
        ("memory_search", {"arguments": {"colour": "red"}}, "colour"),
        ("memory_search", {"arguments": [], "x": 1}, "arguments"),
        ("memory_search", {"trust": "total"}, "trust"),
        ("memory_search", {"tool": "memory_get"}, "body"),
    ],
)
async def test_14_a_call_that_breaks_a_rule_is_refused_by_field(
    ada: GatewayUser, tool: str, body: dict[str, Any], param: str
) -> None:
    response = await ada.asked("POST", f"/tools/{tool}", json=body)
    assert (response.status_code, response.json()["error"]["param"]) == (400, param)


async def test_the_prompt_index_lists_what_this_trust_may_see(ada: GatewayUser) -> None:
    written = (await use(ada, "memory_write", TEA)).json()["result"]["id"]
    seen = (await ada.call("/prompt-index", {"query": "what do I drink?"})).json()
    hidden = (await ada.call("/prompt-index", {"query": "tea", "trust": "familiar"})).json()
    nothing = (await ada.call("/prompt-index", {"trust": "public"})).json()
    assert written in seen["text"]
    assert (seen["observations"], seen["truncated"], seen["degraded"]) == (1, False, [])
    assert (hidden["observations"], hidden["text"]) == (0, "")
    assert nothing["degraded"] == ["trust:reads_nothing"]


async def test_arguments_within_arguments_have_an_end(ada: GatewayUser) -> None:
    nested: dict[str, Any] = {}
    for _ in range(500):
        nested = {"a": nested}
    refused = await use(ada, "memory_search", nested)
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "arguments")
