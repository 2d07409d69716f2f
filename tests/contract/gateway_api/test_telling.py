"""The Gateway's log lines and metrics, by their whole way: of every call one, and never a word or a key."""

from __future__ import annotations

import io
import json

import httpx

from beaver.gateway.app import create_app
from beaver.logs import configure_logs
from beaver.memory.namespace import Namespace
from beaver.memory.records import NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.redaction import Redactor
from tests.support.encoders import TestedEncoder
from tests.support.kept_logging import kept_logging
from tests.support.memory_gateway import MORNING_MS, new_user, running_gateway

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


async def test_add_flush_and_search_are_told_with_their_trace_and_without_a_word(memory_sqlite_url: str) -> None:
    stream = io.StringIO()
    with kept_logging():
        configure_logs("gateway", Redactor(), stream=stream)
        async with running_gateway(memory_sqlite_url) as http:
            http.headers.update({"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01", "X-Request-Id": "r-1"})
            ada = await new_user(http, "ada4711")
            await ada.add("s", "Remember that the canaryword7391 lies under the pot.")
            await ada.flush("s")
            found = await ada.call(
                "/memories/search", {"conversation_id": "s", "query": "canaryword7391", "scope": ["all_user_memory"]}
            )
            await ada.asked("GET", "/memories/nothing")
            metrics = (await http.get("/metrics")).text
    lines = [line for line in map(json.loads, stream.getvalue().splitlines()) if line["event"] == "gateway.call"]
    assert [(line["operation"], line["outcome"]) for line in lines] == [
        ("create_user", "ok"),
        ("add", "ok"),
        ("flush", "ok"),
        ("search", "ok"),
        ("read_memory", "not_found"),
    ]
    assert {(line["trace_id"], line["request_id"]) for line in lines} == {(TRACE, "r-1")}
    assert (lines[2]["messages"], lines[2]["observations"]) == (1, 1)
    assert lines[3]["by"] == "words"
    assert found.headers["X-Request-Id"] == "r-1"
    assert 'beaver_gateway_calls_total{operation="add",outcome="ok"} 1.0' in metrics
    said = stream.getvalue() + metrics
    assert not any(secret in said for secret in ("canaryword7391", ada.user_key, "ada4711"))


async def test_metrics_are_the_administrators(memory_sqlite_url: str) -> None:
    async with running_gateway(memory_sqlite_url, admin_key="correct-horse", trust_loopback=False) as http:
        refused = await http.get("/metrics")
        allowed = await http.get("/metrics", headers={"Authorization": "Bearer correct-horse"})
    assert (refused.status_code, allowed.status_code) == (401, 200)


async def test_what_waits_for_vectors_is_told(memory_sqlite_url: str) -> None:
    runtime = await MemoryRuntime.open(memory_sqlite_url, encoder=TestedEncoder(), clock=lambda: MORNING_MS)
    try:
        await runtime.create_user("ada")
        ada = Namespace("default", "default", "ada")
        await runtime.add(ada, "chat:s", [NewMessage("user", "ada", MORNING_MS, "the canaryword7391")])
        await runtime.wait_until_encoded()
        app = create_app(runtime, admin_key=None, trust_loopback=True)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as http:
            metrics = (await http.get("/metrics")).text
    finally:
        await runtime.close()
    assert "beaver_gateway_encoding_waiting 0.0" in metrics
    assert "beaver_gateway_encoded_total 1.0" in metrics
    assert "canaryword7391" not in metrics


async def test_what_searches_keep_and_how_often_they_read_it_is_told(memory_url: str) -> None:
    for index_bytes_max, whole in ((1, 6), (2**24, 2)):
        runtime = await MemoryRuntime.open(memory_url, clock=lambda: MORNING_MS, index_bytes_max=index_bytes_max)
        try:
            for number in range(6):
                user = f"user-{index_bytes_max}-{number % 2}"
                namespace = Namespace("default", "default", user)
                if number < 2:
                    await runtime.create_user(user)
                    await runtime.add(namespace, "chat:s", [NewMessage("user", user, MORNING_MS, "a canaryword7391")])
                await runtime.search(namespace, Question("canaryword7391", "chat:s", ("all_user_memory",), 5))
            await runtime.add(namespace, "chat:s", [NewMessage("user", user, MORNING_MS, "a lantern")])
            await runtime.search(namespace, Question("lantern", "chat:s", ("all_user_memory",), 5))
            app = create_app(runtime, admin_key=None, trust_loopback=True)
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as http:
                metrics = (await http.get("/metrics")).text
        finally:
            await runtime.close()
        assert f'beaver_gateway_index_reads_total{{what="whole"}} {whole}.0' in metrics
        assert 'beaver_gateway_index_reads_total{what="new"} 1.0' in metrics
        assert f"beaver_gateway_index_namespaces {1 if whole == 6 else 2}.0" in metrics
        assert "user-" not in metrics


async def test_a_request_without_a_name_gets_one(http: httpx.AsyncClient) -> None:
    answers = [await http.get("/memories", headers=headers) for headers in ({}, {"X-Request-Id": "x" * 129})]
    assert all(answer.headers["X-Request-Id"].startswith("request") for answer in answers)
