"""A caller's trace goes on: through the request and its run into the ledger, the queue's job and the Gateway's calls."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace

from beaver.client.jobs import decode_job
from beaver.schemas.gateway import SEARCH_PATH
from beaver.schemas.jobs import PersistJob
from tests.contract.chat_server.scene import ANSWER
from tests.contract.chat_server.scrape import becomes
from tests.contract.test_auth import key_of
from tests.support.chat_server import CURATED, RunningChatServer, running_chat_server
from tests.support.gateway_stub import GatewayStub, running_gateway_stub
from tests.support.ledger import Ledger
from tests.support.tracing import RecordedSpan, RecordingTracing
from tests.support.valkey import ValkeyServer
from tests.support.waiting import wait_until

TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN_ID = "00f067aa0ba902b7"
GIVEN = f"00-{TRACE_ID}-{SPAN_ID}-01"
ASKED = {"messages": [{"role": "user", "content": "What do beavers do?"}]}
TEMPLATE = "/v1/chat/completions"


@pytest.fixture
async def stub() -> AsyncIterator[GatewayStub]:
    async with running_gateway_stub() as running:
        yield running


@pytest.fixture
def config(stub: GatewayStub, valkey: ValkeyServer) -> dict[str, Any]:
    gateway = {"baseUrl": stub.url, "userId": "anna", "userKey": "uk_0123456789"}
    queue = {"redisUrl": valkey.url, "enqueueTimeoutMs": 10_000}
    return {"memory": {"mode": "hybrid", "gateway": gateway}, "queue": queue}


@pytest.fixture
def tracing(monkeypatch: pytest.MonkeyPatch) -> RecordingTracing:
    recording = RecordingTracing()
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", recording)
    return recording


async def ask(server: RunningChatServer, headers: Any) -> str:
    """One turn, rung for; its run's id."""
    response = await server.client.post(TEMPLATE, json=ASKED, headers=headers)
    assert response.status_code == 200
    await becomes(server, 1, "beaver_queue_rings_total", outcome="queued")
    return str(response.json()["beaver"]["run_id"])


async def carried(server: RunningChatServer, run_id: str, valkey: ValkeyServer, stub: GatewayStub) -> list[str]:
    """The traceparents of the turn's row, of its job and of the search before it."""
    ledger = Ledger(server.engine.database)
    await ledger.make_due(run_id)
    async with server.engine.database.read() as tx:
        (row,) = await ledger.store.due(tx, limit=10)
    stored = valkey.client().get(f"arq:job:{PersistJob(run_id=run_id, generation=0).job_id}")
    assert isinstance(stored, bytes)
    assert row.traceparent is not None
    (search,) = stub.seen(SEARCH_PATH)
    return [row.traceparent, decode_job(stored)["a"][0]["traceparent"], search.headers["traceparent"]]


async def request_span(tracing: RecordingTracing, route: str = TEMPLATE) -> RecordedSpan:
    """The span of the one request for a route, once it has its status."""

    async def found() -> list[RecordedSpan]:
        spans = [span for span in tracing.spans if span.attributes.get("http.route") == route]
        return [span for span in spans if "http.response.status_code" in span.attributes]

    (span,) = await wait_until(found, what=f"the span of {route}")
    return span


@pytest.mark.parametrize("installed", [True, False])
async def test_without_spans_the_callers_trace_is_carried_on_as_it_came(
    tmp_path: Path,
    config: dict[str, Any],
    valkey: ValkeyServer,
    stub: GatewayStub,
    monkeypatch: pytest.MonkeyPatch,
    installed: bool,
) -> None:
    if not installed:
        monkeypatch.delitem(sys.modules, "opentelemetry.trace")
    async with running_chat_server(tmp_path, [ANSWER], config=config) as server:
        run_id = await ask(server, {"traceparent": GIVEN, "tracestate": "vendor=words"})
        assert await carried(server, run_id, valkey, stub) == [GIVEN] * 3


async def test_with_opentelemetry_the_request_is_a_span_of_the_callers_trace_and_the_run_one_of_the_request(
    tmp_path: Path, config: dict[str, Any], valkey: ValkeyServer, stub: GatewayStub, tracing: RecordingTracing
) -> None:
    async with running_chat_server(tmp_path, [ANSWER], config=config) as server:
        run_id = await ask(server, {"traceparent": GIVEN, "tracestate": "vendor=words"})
        traceparents = await carried(server, run_id, valkey, stub)
        request, run = await request_span(tracing), tracing.named("beaver.run")

    assert (f"{request.parent.trace_id:032x}", f"{request.parent.span_id:016x}") == (TRACE_ID, SPAN_ID)
    assert request.parent.trace_state.to_header() == "vendor=words"
    assert (request.name, request.kind) == ("beaver.request", trace.SpanKind.SERVER)
    assert request.attributes == {
        "http.request.method": "POST",
        "http.route": TEMPLATE,
        "http.response.status_code": 200,
    }
    assert request.told == []
    assert run.parent == request.get_span_context()
    recall = tracing.named("beaver.recall")
    assert traceparents == [run.traceparent, run.traceparent, recall.traceparent]
    assert {traceparent.split("-")[1] for traceparent in traceparents} == {TRACE_ID}


async def test_spans_name_the_route_and_never_the_path_the_query_or_what_went_wrong(
    server: RunningChatServer, tracing: RecordingTracing, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> Any:
        raise RuntimeError("canary words")

    await server.client.get("/v1/sessions/canary-path?q=canary-query", headers={"User-Agent": "canary-agent"})
    await server.client.get("/canary-path")
    monkeypatch.setattr(server.engine.database, "read", broken)
    await server.client.get("/v1/sessions/canary-path/messages", headers={"tracestate": "canary"})
    failed = await request_span(tracing, "/v1/sessions/{session_id}/messages")

    assert [(span.name, span.kind) for span in tracing.spans] == [("beaver.request", trace.SpanKind.SERVER)] * 3
    assert "canary" not in str([(span.attributes, span.told) for span in tracing.spans])
    assert failed.attributes["error.type"] == "RuntimeError"
    assert {told[0] for told in failed.told} == {trace.StatusCode.ERROR}


@pytest.mark.parametrize(
    "given",
    [
        [""],
        ["words"],
        [GIVEN, GIVEN],
        [GIVEN.upper()],
        [f"{GIVEN}-more"],
        [GIVEN.replace("00-", "ff-", 1)],
        [f"00-{'0' * 32}-{SPAN_ID}-01"],
        [f"00-{TRACE_ID}-{'0' * 16}-01"],
        [f"00-{TRACE_ID}-{SPAN_ID}"],
        ["00-" + "caf\xe9" * 8 + f"-{SPAN_ID}-01"],
        ["x" * 5000],
    ],
)
async def test_a_traceparent_that_is_none_begins_a_trace_and_is_no_error(
    server: RunningChatServer, tracing: RecordingTracing, given: list[str]
) -> None:
    headers = [(b"traceparent", value.encode("latin-1")) for value in given]
    response = await server.client.post(TEMPLATE, json=ASKED, headers=headers)
    assert response.status_code == 200
    request = await request_span(tracing)
    assert not request.parent.is_valid
    assert tracing.named("beaver.run").parent == request.get_span_context()


async def test_with_keys_a_trace_goes_on_and_a_refusal_is_a_part_of_it(
    tmp_path: Path, tracing: RecordingTracing
) -> None:
    locked = {**CURATED, "server": {"requireKeys": True}}
    async with running_chat_server(tmp_path, [ANSWER], config=locked) as server:
        key = await key_of(server.engine.database, "chat")
        trace_of_it = {"traceparent": GIVEN}
        assert (await server.client.post(TEMPLATE, json=ASKED, headers={**key, **trace_of_it})).status_code == 200
        assert (await server.client.get("/v1/sessions", headers=trace_of_it)).status_code == 401
        answered, refused = await request_span(tracing), await request_span(tracing, "/v1/sessions")
    assert {f"{span.parent.trace_id:032x}" for span in (answered, refused)} == {TRACE_ID}
    assert refused.attributes["http.response.status_code"] == 401
    assert refused.told == []


async def test_a_request_that_the_server_fails_is_a_failed_span(
    server: RunningChatServer, tracing: RecordingTracing
) -> None:
    server.runs.begin_drain()
    assert (await server.client.post(TEMPLATE, json=ASKED)).status_code == 503
    assert (await request_span(tracing)).told == [(trace.StatusCode.ERROR, None)]
