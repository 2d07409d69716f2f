"""What a chat server counts: requests, runs, and what its runs ask of others. Labels are names of ours, never content."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from beaver.errors import DeadlineExceeded
from beaver.schemas.gateway import SEARCH_PATH
from beaver.server import probes
from tests.contract.chat_server.scene import ANSWER, NEVER
from tests.contract.chat_server.scrape import becomes, figure, scraped
from tests.support.chat_server import RunningChatServer, running_chat_server
from tests.support.gateway_stub import GatewayStub, ok, running_gateway_stub, status
from tests.support.valkey import ValkeyServer

CHAT = {"method": "POST", "route": "/v1/chat/completions"}
KEY = "uk_0123456789"
RECALLS = "beaver_recall_seconds_count"
RINGS = "beaver_queue_rings_total"
CALLS = "beaver_provider_call_seconds_count"


@pytest.fixture
async def stub() -> AsyncIterator[GatewayStub]:
    async with running_gateway_stub() as running:
        yield running


def hybrid(stub: GatewayStub, redis_url: str) -> dict[str, Any]:
    gateway = {"baseUrl": stub.url, "userId": "anna", "userKey": KEY}
    queue = {"redisUrl": redis_url, "enqueueTimeoutMs": 10_000}
    return {"memory": {"mode": "hybrid", "gateway": gateway}, "queue": queue}


async def test_requests_are_counted_by_template_method_and_status(server: RunningChatServer) -> None:
    await server.say("What do beavers do?", "canary-session")
    await server.client.get("/v1/sessions/canary-session?q=canary-query")
    await server.client.get("/v1/sessions/canary-other")
    await server.client.get("/canary-path")
    await server.client.request("PROPFIND", "/v1/models")
    session = {"method": "GET", "route": "/v1/sessions/{session_id}"}
    counted = [
        ({**CHAT, "status": "200"}, "the answer"),
        ({**session, "status": "200"}, "a session"),
        ({**session, "status": "404"}, "no session"),
        ({"method": "GET", "route": "unmatched", "status": "404"}, "no path"),
        ({"method": "other", "route": "/v1/models", "status": "405"}, "no method"),
    ]
    for labels, _what in counted:
        await becomes(server, 1, "beaver_http_requests_total", **labels)
    await becomes(server, 2, "beaver_http_request_seconds_count", **session)
    assert await figure(server, "beaver_http_request_seconds_bucket", le="+Inf", **CHAT) == 1
    assert "canary" not in (await server.client.get("/metrics")).text


async def test_a_scrape_finds_itself_under_way(server: RunningChatServer) -> None:
    assert await figure(server, "beaver_http_requests_in_flight") == 1


async def test_a_run_is_counted_with_its_reason_its_first_word_and_its_end(server: RunningChatServer) -> None:
    await server.say("What do beavers do?")
    await becomes(server, 1, "beaver_runs_ended_total", stop_reason="stop", error="none")
    for name in ("beaver_run_seconds_count", "beaver_run_first_token_seconds_count"):
        assert await figure(server, name) == 1
    assert await figure(server, "beaver_runs_in_flight") == 0
    assert await figure(server, CALLS, outcome="completed") == 1


async def test_a_run_that_fails_is_counted_with_its_code_and_has_no_first_word(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [DeadlineExceeded("canary words")]) as server:
        assert (await server.say("What do beavers do?")).status_code == 504
        await becomes(server, 1, "beaver_runs_ended_total", stop_reason="error", error="deadline_exceeded")
        assert await figure(server, CALLS, outcome="deadline_exceeded") == 1
        assert await figure(server, "beaver_run_first_token_seconds_count") == 0
        assert "canary" not in (await server.client.get("/metrics")).text


async def test_open_streams_and_runs_under_way_are_told_until_they_end(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [NEVER]) as server:
        asked = {"messages": [{"role": "user", "content": "Hello"}], "stream": True}
        async with server.client.stream("POST", "/v1/chat/completions", json=asked):
            await becomes(server, 1, "beaver_http_streams_open")
            await becomes(server, 1, "beaver_run_first_token_seconds_count")
            assert await figure(server, "beaver_runs_in_flight") == 1
        await becomes(server, 0, "beaver_http_streams_open")
        assert await figure(server, "beaver_runs_in_flight") == 1
        (run,) = server.runs.known_ids()
        await server.client.post(f"/v1/runs/{run}/stop")
        await becomes(server, 0, "beaver_runs_in_flight")
        assert await figure(server, "beaver_runs_ended_total", stop_reason="interrupted", error="none") == 1
        assert await figure(server, CALLS, outcome="cancelled") == 1


async def test_a_run_that_may_not_begin_is_refused_and_not_ended(server: RunningChatServer) -> None:
    server.runs.begin_drain()
    assert (await server.say("Hello")).status_code == 503
    assert await figure(server, "beaver_runs_refused_total", reason="unavailable") == 1
    assert not [name for name, _ in await scraped(server) if name == "beaver_runs_ended_total"]


async def test_a_busy_session_that_takes_no_second_run_is_a_refusal(tmp_path: Path) -> None:
    config = {"memory": {"mode": "curated"}, "server": {"busyPolicy": "reject"}}
    async with running_chat_server(tmp_path, [NEVER], config=config) as server:
        first = asyncio.create_task(server.say("Hello", "s-1"))
        await becomes(server, 1, "beaver_run_first_token_seconds_count")
        assert (await server.say("Hello", "s-1")).status_code == 409
        assert await figure(server, "beaver_runs_refused_total", reason="conflict") == 1
        first.cancel()
        await asyncio.wait({first})
        server.runs.begin_drain()
        for run in [server.runs.find(run_id) for run_id in server.runs.known_ids()]:
            assert run is not None
            run.stop()


async def test_recalls_are_counted_by_what_they_found_and_rings_by_whether_they_were_heard(
    tmp_path: Path, stub: GatewayStub, valkey: ValkeyServer
) -> None:
    found = ok({"results": [{"text": "Anna likes lodges."}]})
    stub.script(SEARCH_PATH, found, ok({"results": []}), status(500))
    async with running_chat_server(tmp_path, [ANSWER], config=hybrid(stub, valkey.url)) as server:
        for outcome in ("hit", "empty", "failed"):
            assert await figure(server, RECALLS, outcome=outcome) == 0
            await server.say("What do beavers do?")
            await becomes(server, 1, RECALLS, outcome=outcome)
        await becomes(server, 3, RINGS, outcome="queued")
        assert await figure(server, RINGS, outcome="failed") == 0
        told = (await server.client.get("/metrics")).text
        assert [word for word in (KEY, "anna", "lodges", "beavers do") if word in told] == []


async def test_a_ring_that_nobody_hears_is_a_failed_one(tmp_path: Path, stub: GatewayStub) -> None:
    config = hybrid(stub, f"unix://{tmp_path}/nowhere.sock")
    async with running_chat_server(tmp_path, [ANSWER], config=config) as server:
        await server.say("What do beavers do?")
        await becomes(server, 1, RINGS, outcome="failed")
        assert await figure(server, RINGS, outcome="queued") == 0


async def test_a_ledger_that_does_not_answer_holds_up_no_scrape(
    server: RunningChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hanging(*_: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(probes, "PROBE_S", 0.05)
    monkeypatch.setattr(probes, "read_ledger", hanging)
    told = await scraped(server)
    assert told["beaver_ledger_up", frozenset()] == 0
    assert ("beaver_outbox_ready", frozenset()) not in told
