"""One line a request: its route and never its path, who left before the end, and one id over all lines of its work."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from beaver.errors import Unavailable
from beaver.logs import configure_logs
from beaver.redaction import Redactor
from beaver.server.app import ROUTERS, create_app
from beaver.server.guard.templates import RouteTemplates
from beaver.server.runs.journal import RunJournal
from tests.contract.chat_server.log_lines import LogLines
from tests.contract.chat_server.scene import ANSWER, NEVER, UNREACHABLE
from tests.contract.chat_server.scrape import becomes
from tests.support.chat_server import CURATED, RunningChatServer, running_chat_server
from tests.support.kept_logging import kept_logging
from tests.support.waiting import wait_until

ASKED = {"messages": [{"role": "user", "content": "canary words"}]}
TEMPLATE = "/v1/chat/completions"


@pytest.fixture
def log() -> Iterator[LogLines]:
    stream = io.StringIO()
    with kept_logging():
        configure_logs("chat", Redactor(), stream=stream)
        yield LogLines(stream)


@pytest.fixture
async def logged(log: LogLines, server: RunningChatServer) -> RunningChatServer:
    """A server that began after the log did."""
    return server


def traceparent_of(trace_id: str) -> str:
    return f"traceparent: 00-{trace_id}-00f067aa0ba902b7-01\r\n"


def named(request_id: str) -> dict[str, str]:
    return {"X-Request-Id": request_id}


async def test_every_route_that_the_application_has_is_told_by_its_template(server: RunningChatServer) -> None:
    templates = RouteTemplates(router for router, _ in ROUTERS)
    routes = [each for each in iter_route_contexts(create_app(server.engine).routes) if each.path_format]
    told = {(method, str(each.path_format)) for each in routes for method in each.methods or ()}
    assert ("POST", TEMPLATE) in told
    assert {(method, templates.find(method, path)) for method, path in told} == told


@pytest.mark.parametrize(
    ("config", "headers", "refused"),
    [
        ({**CURATED, "server": {"requireKeys": True}}, {}, 401),
        (CURATED, {"Host": "rebound.example"}, 400),
    ],
)
async def test_what_is_refused_before_the_routing_is_logged_with_its_route(
    tmp_path: Path, log: LogLines, config: dict[str, Any], headers: dict[str, str], refused: int
) -> None:
    async with running_chat_server(tmp_path, [ANSWER], config=config) as server:
        path = "/v1/sessions/canary-path/messages?q=canary-query"
        response = await server.client.get(path, headers={**headers, **named("asked-1")})
    assert response.status_code == refused
    line = await log.one("http.request", request_id="asked-1")
    assert (line["route"], line["status"]) == ("/v1/sessions/{session_id}/messages", refused)
    assert "canary" not in log.text


async def test_a_path_that_the_server_does_not_know_is_logged_without_one(
    log: LogLines, logged: RunningChatServer
) -> None:
    await logged.client.get("/canary-path", headers=named("asked-1"))
    line = await log.one("http.request", request_id="asked-1")
    assert (line["route"], line["status"]) == (None, 404)
    assert "canary" not in log.text


async def test_a_whole_answer_has_ended_and_nobody_has_left(log: LogLines, logged: RunningChatServer) -> None:
    for request_id, stream in (("whole-1", False), ("stream-1", True)):
        body = {**ASKED, "stream": stream}
        assert (await logged.client.post(TEMPLATE, json=body, headers=named(request_id))).status_code == 200
        line = await log.one("http.request", request_id=request_id)
        told = {"route": TEMPLATE, "status": 200, "stream": stream, "ended": True, "left": False}
        assert told.items() <= line.items()
        assert isinstance(line["ms"], int)
    assert "canary" not in log.text


async def test_a_client_that_leaves_a_stream_is_said_to_have_left(tmp_path: Path, log: LogLines) -> None:
    async with running_chat_server(tmp_path, [NEVER], drain_s=0.1) as server:
        body = {**ASKED, "stream": True}
        async with server.client.stream("POST", TEMPLATE, json=body, headers=named("stream-1")) as response:
            await anext(response.aiter_bytes())
        line = await log.one("http.request", request_id="stream-1")
    assert {"status": 200, "stream": True, "ended": False, "left": True}.items() <= line.items()


async def test_a_client_that_leaves_before_its_answer_is_a_499(tmp_path: Path, log: LogLines) -> None:
    async with running_chat_server(tmp_path, [NEVER]) as server:
        asking = asyncio.create_task(server.client.post(TEMPLATE, json=ASKED, headers=named("left-1")))
        await becomes(server, 1, "beaver_run_first_token_seconds_count")
        asking.cancel()
        await asyncio.wait({asking})
        (run_id,) = server.runs.known_ids()
        await server.client.post(f"/v1/runs/{run_id}/stop")
        line = await log.one("http.request", request_id="left-1")
        await becomes(server, 1, "beaver_http_requests_total", method="POST", route=TEMPLATE, status="499")
    assert {"status": 499, "stream": False, "ended": False, "left": True}.items() <= line.items()


async def test_a_body_that_is_refused_unread_is_not_asked_for(tmp_path: Path) -> None:
    config = {**CURATED, "server": {"requireKeys": True}}
    async with running_chat_server(tmp_path, [ANSWER], config=config) as server:
        url = httpx.URL(server.url)
        reader, writer = await asyncio.open_connection(url.host, url.port)
        head = f"POST {TEMPLATE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
        writer.write(head.encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 401")
        writer.close()
        await writer.wait_closed()


async def test_every_line_of_a_requests_work_has_its_id_and_its_trace(tmp_path: Path, log: LogLines) -> None:
    trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"
    headers = {**named("asked-1"), "traceparent": f"00-{trace_id}-00f067aa0ba902b7-01"}
    async with running_chat_server(tmp_path, [ANSWER], config=UNREACHABLE) as server:
        await server.client.post(TEMPLATE, json=ASKED, headers=headers)
        for event in ("gateway.recall_failed", "run.completed", "http.request", "queue.unreachable"):
            line = await log.one(event)
            assert (line["request_id"], line["trace_id"]) == ("asked-1", trace_id)


async def test_a_request_sent_on_the_heels_of_another_has_nothing_of_its_id_and_trace(
    log: LogLines, logged: RunningChatServer
) -> None:
    url = httpx.URL(logged.url)
    _reader, writer = await asyncio.open_connection(url.host, url.port)
    traced = f"{traceparent_of('4bf92f3577b34da6a3ce929d0e0e4736')}X-Request-Id: first\r\n"
    # The second is read while the first is answered, and begins in the midst of that.
    for path, headers in (("/ready", traced), ("/health", "")):
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode())
    first, second = await log.one("http.request", route="/ready"), await log.one("http.request", route="/health")
    writer.close()
    await writer.wait_closed()
    assert (first["request_id"], first["trace_id"]) == ("first", "4bf92f3577b34da6a3ce929d0e0e4736")
    assert second["request_id"] != "first"
    assert "trace_id" not in second


async def test_an_error_names_the_id_that_its_log_lines_have(log: LogLines, logged: RunningChatServer) -> None:
    refused = await logged.client.post(TEMPLATE, json={}, headers=named("asked-1"))
    assert (refused.status_code, refused.json()["request_id"]) == (400, "asked-1")
    made = await logged.client.get("/v1/runs/nothing")
    assert made.json()["request_id"] == made.headers["X-Request-Id"]
    await log.one("http.request", request_id=made.json()["request_id"], status=404)


async def test_a_task_that_works_for_all_requests_has_the_id_of_none(
    tmp_path: Path, log: LogLines, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing, stored = asyncio.Event(), RunJournal._stored

    async def away_when_told(journal: RunJournal, batch: Any) -> set[str]:
        if refusing.is_set():
            raise Unavailable("the database cannot serve")
        return await stored(journal, batch)

    monkeypatch.setattr(RunJournal, "_stored", away_when_told)
    async with running_chat_server(tmp_path, [ANSWER]) as server:
        await server.client.post(TEMPLATE, json=ASKED, headers=named("first"))
        refusing.set()
        await server.client.post(TEMPLATE, json=ASKED, headers=named("second"))

        async def delayed() -> list[dict[str, Any]]:
            return log.of("run.streams_delayed")

        line = (await wait_until(delayed, what="a line of the journal"))[0]
        refusing.clear()
    assert "request_id" not in line
