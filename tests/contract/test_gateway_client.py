"""The Gateway client on real sockets; what is about shapes also over a stand-in transport."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import socket
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from beaver.client.gateway import ANSWER_BYTES_MAX, GatewayCallError, MemoryGatewayClient
from beaver.config.memory import GatewaySettings
from beaver.errors import ConfigError
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH, SEARCH_PATH, GatewayMessage
from tests.support.gateway_stub import (
    Behaviour,
    Exchange,
    GatewayStub,
    cut,
    delay,
    drip,
    hang,
    ok,
    raw,
    reset,
    running_gateway_stub,
    status,
)
from tests.support.waiting import wait_until

KEY = "uk_canary_4f1d77aa93"
TEXT = "the heron nests behind the old mill"
PATHS = {"search": SEARCH_PATH, "add": ADD_PATH, "flush": FLUSH_PATH}
TURN = [
    GatewayMessage(sender_id="maria", role="user", timestamp=1780000000000, content=TEXT),
    GatewayMessage(sender_id="beaver", role="assistant", timestamp=1780000001000, content="Noted."),
]


def settings(url: str, *, timeout_s: float = 20, top_k: int = 8) -> GatewaySettings:
    return GatewaySettings.model_validate(
        {
            "baseUrl": url,
            "userId": "maria",
            "userKey": KEY,
            "appId": "shop",
            "projectId": "support",
            "scope": ["current_chat", "resources"],
            "topK": top_k,
            "timeoutSeconds": timeout_s,
        }
    )


@asynccontextmanager
async def client_of(url: str, *, timeout_s: float = 20, top_k: int = 8) -> AsyncIterator[MemoryGatewayClient]:
    client = MemoryGatewayClient(settings(url, timeout_s=timeout_s, top_k=top_k))
    try:
        yield client
    finally:
        await client.aclose()


@pytest.fixture
async def stub() -> AsyncIterator[GatewayStub]:
    async with running_gateway_stub() as running:
        yield running


@pytest.fixture
async def client(stub: GatewayStub) -> AsyncIterator[MemoryGatewayClient]:
    async with client_of(stub.url) as opened:
        yield opened


@pytest.fixture
async def hasty(stub: GatewayStub) -> AsyncIterator[MemoryGatewayClient]:
    """A client whose deadline is 0.3 s."""
    async with client_of(stub.url, timeout_s=0.3) as opened:
        yield opened


async def call(client: MemoryGatewayClient, operation: str) -> Any:
    match operation:
        case "search":
            return await client.search("s-1", TEXT)
        case "add":
            return await client.add(session_id="s-1", messages=TURN, idempotency_key="run_1")
        case _:
            return await client.flush(session_id="s-1")


async def failure(client: MemoryGatewayClient, operation: str = "add") -> GatewayCallError:
    with pytest.raises(GatewayCallError) as caught:
        await call(client, operation)
    return caught.value


def said(error: GatewayCallError) -> tuple[str, int | None, str]:
    return error.category, error.status, error.outcome


# --- Shapes: the same over sockets and over a stand-in transport -------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


class Door:
    """A client, what it asked for, and the answer it will get."""

    client: MemoryGatewayClient
    answer: Callable[[int, bytes, Mapping[str, str]], None]
    asked: Callable[[], list[Asked]]


@pytest.fixture(params=["sockets", "stand-in"])
async def door(request: pytest.FixtureRequest) -> AsyncIterator[Door]:
    opened = Door()
    if request.param == "sockets":
        async with running_gateway_stub() as stub:

            def set_answer(code: int, body: bytes, headers: Mapping[str, str]) -> None:
                for path in PATHS.values():
                    stub.always(path, lambda exchange: exchange.send(code, body, headers))

            opened.answer = set_answer
            opened.asked = lambda: [Asked(seen.method, seen.path, seen.headers, seen.body) for seen in stub.requests]
            opened.client = MemoryGatewayClient(settings(stub.url))
            yield opened
            await opened.client.aclose()
        return
    seen: list[Asked] = []
    answers: list[httpx.Response] = []

    def handle(http: httpx.Request) -> httpx.Response:
        seen.append(Asked(http.method, http.url.path, http.headers, json.loads(http.content)))
        return answers[-1]

    opened.answer = lambda code, body, headers: answers.append(httpx.Response(code, content=body, headers=headers))
    opened.asked = lambda: seen
    opened.client = MemoryGatewayClient(settings("http://gateway.test"), transport=httpx.MockTransport(handle))
    yield opened
    await opened.client.aclose()


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


async def test_a_traceparent_goes_along_only_where_it_is_given(door: Door) -> None:
    door.answer(200, b"{}", {})
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    await door.client.flush(session_id="s-1")
    await door.client.flush(session_id="s-1", traceparent=parent)
    await door.client.add(session_id="s-1", messages=TURN, idempotency_key="run_1", traceparent=parent)

    assert [asked.headers.get("traceparent") for asked in door.asked()] == [None, parent, parent]


async def test_the_key_travels_in_the_body_and_nowhere_else(door: Door) -> None:
    door.answer(200, b'{"results": []}', {})

    for operation in PATHS:
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


async def test_results_come_back_as_items_without_the_raw_object(door: Door) -> None:
    result = {
        "id": "m-1",
        "session_id": "chat:s-0",
        "text": "The heron nests behind the mill.",
        "score": 0.75,
        "source_scope": "current_chat",
        "resource_uri": None,
        "raw": {"internal": "shard-7"},
    }
    door.answer(200, json.dumps({"results": [result], "took_ms": 3}).encode(), {})

    (item,) = await door.client.search("s-1", "heron")

    assert (item.id, item.session_id, item.text) == ("m-1", "chat:s-0", "The heron nests behind the mill.")
    assert (item.score, item.source_scope, item.resource_uri) == (0.75, "current_chat", None)
    assert not hasattr(item, "raw")


async def test_a_gateway_that_sends_more_than_top_k_is_cut_at_top_k(stub: GatewayStub) -> None:
    stub.always(SEARCH_PATH, ok({"results": [{"text": f"memory {number}"} for number in range(50)]}))

    async with client_of(stub.url, top_k=3) as client:
        items = await client.search("s-1", "heron")

    assert [item.text for item in items] == ["memory 0", "memory 1", "memory 2"]


@pytest.mark.parametrize("operation", PATHS)
@pytest.mark.parametrize(
    ("code", "category", "outcome"),
    [
        (301, "http_status", "unknown"),
        (302, "http_status", "unknown"),
        (307, "http_status", "unknown"),
        (400, "http_status", "refused"),
        (401, "unauthorized", "refused"),
        (403, "unauthorized", "refused"),
        (404, "http_status", "refused"),
        (408, "http_status", "unknown"),
        (409, "http_status", "refused"),
        (422, "http_status", "refused"),
        (425, "http_status", "unknown"),
        (429, "http_status", "refused"),
        (500, "http_status", "unknown"),
        (503, "http_status", "unknown"),
    ],
)
async def test_a_status_that_is_not_2xx_has_its_category_and_outcome(
    door: Door, operation: str, code: int, category: str, outcome: str
) -> None:
    door.answer(code, b'{"error": "no"}', {"location": "http://127.0.0.1:9/elsewhere"})

    error = await failure(door.client, operation)

    assert said(error) == (category, code, outcome)
    assert (error.operation, error.path) == (operation, PATHS[operation])
    assert str(error) == f"{operation} {PATHS[operation]} failed: {category} (HTTP {code})"
    assert len(door.asked()) == 1


@pytest.mark.parametrize("operation", PATHS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>oops</html>",
        b'{"results": [',
        b'{"results": []} trailing',
        b"\xff\xfe{}",
        b'{"results": [{"text": "caf\xe9"}]}',
        b'{"results": [], "took": NaN}',
        b'{"results": [], "took": -Infinity}',
        b'{"results": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"results": [], "count": ' + b"9" * 10_000 + b"}",
    ],
    ids=["empty", "html", "cut", "trailing", "bad utf-8", "latin-1", "nan", "infinity", "deep", "huge number"],
)
async def test_a_2xx_body_that_is_not_json_is_unknown(door: Door, operation: str, body: bytes) -> None:
    door.answer(200, body, {})

    assert said(await failure(door.client, operation)) == ("invalid_json", 200, "unknown")


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b'"results"',
        b"null",
        b"{}",
        b'{"data": {"results": []}}',
        b'{"results": null}',
        b'{"results": {}}',
        b'{"results": "x"}',
    ],
)
async def test_search_accepts_only_a_top_level_list_of_results(door: Door, body: bytes) -> None:
    door.answer(200, body, {})

    assert said(await failure(door.client, "search")) == ("invalid_shape", 200, "unknown")


@pytest.mark.parametrize("operation", ["add", "flush"])
@pytest.mark.parametrize("body", [b"[]", b'"ok"', b"true", b"null", b"1"])
async def test_a_receipt_must_be_an_object(door: Door, operation: str, body: bytes) -> None:
    door.answer(200, body, {})

    assert said(await failure(door.client, operation)) == ("invalid_shape", 200, "unknown")


@pytest.mark.parametrize("code", [200, 201, 202])
async def test_any_2xx_with_an_object_is_success_for_writes(door: Door, code: int) -> None:
    door.answer(code, b'{"anything": [1, 2]}', {})

    await door.client.add(session_id="s-1", messages=TURN, idempotency_key="run_1")
    await door.client.flush(session_id="s-1")

    assert len(door.asked()) == 2


async def test_a_body_over_two_mebibytes_is_not_read(door: Door) -> None:
    door.answer(200, b'{"results": []}' + b" " * ANSWER_BYTES_MAX, {})

    assert said(await failure(door.client, "search")) == ("too_large", 200, "unknown")


# --- Time -------------------------------------------------------------------------------------------------------------


async def byte_by_byte(exchange: Exchange) -> None:
    """The status line itself, dripping."""
    for position in range(10_000):
        exchange.writer.write(b"HTTP/1.1 200 OK\r\nx-filler: "[position : position + 1] or b"a")
        await exchange.writer.drain()
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("operation", PATHS)
@pytest.mark.parametrize(
    "behaviour",
    [hang(), drip(0.05), byte_by_byte, delay(30)],
    ids=["hang", "body drips", "headers drip", "too slow"],
)
async def test_one_wall_clock_deadline_bounds_the_whole_call(
    stub: GatewayStub, hasty: MemoryGatewayClient, operation: str, behaviour: Behaviour
) -> None:
    stub.always(PATHS[operation], behaviour)
    started = time.monotonic()

    error = await failure(hasty, operation)

    assert said(error) == ("timeout", None, "unknown")
    assert str(error) == f"{operation} {PATHS[operation]} failed: timeout"
    assert time.monotonic() - started < 3


async def test_an_answer_that_takes_a_while_is_taken_within_the_deadline(
    stub: GatewayStub, client: MemoryGatewayClient
) -> None:
    stub.always(SEARCH_PATH, delay(0.2, ok({"results": [{"text": "late but here"}]})))

    assert [item.text for item in await client.search("s-1", "heron")] == ["late but here"]


async def test_a_deadline_during_the_connect_phase_is_refused_for_nothing_has_left() -> None:
    """The TCP connection is taken, the TLS handshake never answered."""
    async with listening(say_nothing) as port, client_of(f"https://127.0.0.1:{port}", timeout_s=0.3) as client:
        assert said(await failure(client)) == ("timeout", None, "refused")


# --- Connections ------------------------------------------------------------------------------------------------------


async def test_a_port_that_nobody_listens_on_is_refused() -> None:
    async with client_of(f"http://127.0.0.1:{free_port()}") as client:
        for operation in PATHS:
            assert said(await failure(client, operation)) == ("connect_failed", None, "refused")


async def test_a_name_that_does_not_resolve_is_refused() -> None:
    async with client_of("http://gateway.invalid:8010") as client:
        assert said(await failure(client)) == ("connect_failed", None, "refused")


async def test_a_peer_that_does_not_speak_tls_is_refused() -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"220 mail.example ESMTP\r\n")
        writer.close()

    async with listening(greet) as port, client_of(f"https://127.0.0.1:{port}") as client:
        assert said(await failure(client)) == ("connect_failed", None, "refused")


def test_an_address_that_cannot_be_one_is_a_config_error_without_the_value() -> None:
    with pytest.raises(ConfigError) as caught:
        MemoryGatewayClient(settings("http://256.1.1.1"))

    assert str(caught.value) == "memory.gateway.baseUrl: must be a URL"


async def hang_up(exchange: Exchange) -> None:
    exchange.writer.close()


async def talk_nonsense(exchange: Exchange) -> None:
    exchange.writer.write(b"220 mail.example ESMTP\r\n")
    exchange.writer.close()


@pytest.mark.parametrize("operation", PATHS)
@pytest.mark.parametrize(
    "behaviour",
    [reset(), cut(), hang_up, talk_nonsense],
    ids=["reset after the request", "reset in the body", "closed without a word", "not HTTP"],
)
async def test_a_connection_lost_after_the_request_left_is_unknown(
    stub: GatewayStub, client: MemoryGatewayClient, operation: str, behaviour: Behaviour
) -> None:
    stub.always(PATHS[operation], behaviour)

    assert said(await failure(client, operation)) == ("connection_lost", None, "unknown")
    assert len(stub.requests) == 1


async def test_a_kept_connection_serves_the_next_call(client: MemoryGatewayClient, stub: GatewayStub) -> None:
    addresses: set[Any] = set()

    async def remember(exchange: Exchange) -> None:
        addresses.add(exchange.writer.get_extra_info("peername"))
        await ok()(exchange)

    stub.always(FLUSH_PATH, remember)
    for _ in range(5):
        await client.flush(session_id="s-1")

    assert len(addresses) == 1


async def test_a_kept_connection_that_dies_under_an_add_is_unknown_and_the_add_is_not_sent_again(
    stub: GatewayStub, client: MemoryGatewayClient
) -> None:
    stub.script(ADD_PATH, ok(), hang_up)

    await client.add(session_id="s-1", messages=TURN, idempotency_key="run_1")
    error = await failure(client, "add")

    assert said(error) == ("connection_lost", None, "unknown")
    assert len(stub.seen(ADD_PATH)) == 2


async def test_a_kept_connection_that_the_server_closed_is_replaced(
    client: MemoryGatewayClient, stub: GatewayStub
) -> None:
    closed = asyncio.Event()

    async def answer_and_close(exchange: Exchange) -> None:
        await ok()(exchange)
        exchange.writer.close()
        await exchange.writer.wait_closed()
        closed.set()

    stub.script(ADD_PATH, answer_and_close, ok())

    await call(client, "add")
    await closed.wait()
    await call(client, "add")

    assert len(stub.seen(ADD_PATH)) == 2


async def test_a_broken_call_does_not_break_the_next(client: MemoryGatewayClient, stub: GatewayStub) -> None:
    stub.script(SEARCH_PATH, reset(), raw(b"x" * (ANSWER_BYTES_MAX + 1)), status(500), cut(), raw(b"nonsense"))

    for _ in range(5):
        await failure(client, "search")

    assert await client.search("s-1", "heron") == []


@pytest.mark.parametrize("operation", PATHS)
async def test_a_redirect_is_not_followed(stub: GatewayStub, client: MemoryGatewayClient, operation: str) -> None:
    async with running_gateway_stub() as elsewhere:
        for code in (301, 302, 303, 307, 308):
            stub.script(PATHS[operation], status(code, headers={"location": elsewhere.url + PATHS[operation]}))
            assert said(await failure(client, operation)) == ("http_status", code, "unknown")

        assert elsewhere.requests == []


async def test_proxies_from_the_environment_are_ignored(stub: GatewayStub, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_gateway_stub() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        async with client_of(stub.url) as client:
            await client.flush(session_id="s-1")

        assert (len(stub.requests), proxy.requests) == (1, [])


async def test_a_cookie_of_the_gateway_is_not_sent_back(stub: GatewayStub, client: MemoryGatewayClient) -> None:
    stub.always(FLUSH_PATH, status(200, {"ok": True}, {"set-cookie": "session=abc; Path=/"}))

    await client.flush(session_id="s-1")
    await client.flush(session_id="s-1")

    assert ["cookie" in seen.headers for seen in stub.requests] == [False, False]


async def test_fifty_megabytes_are_dropped_after_the_cap(stub: GatewayStub, client: MemoryGatewayClient) -> None:
    sent = 0

    async def flood(exchange: Exchange) -> None:
        nonlocal sent
        await exchange.head(200, 50_000_000)
        for _ in range(50):
            exchange.writer.write(b" " * 1_000_000)
            await exchange.writer.drain()
            sent += 1_000_000

    stub.always(SEARCH_PATH, flood)

    assert said(await failure(client, "search")) == ("too_large", 200, "unknown")
    assert sent < 50_000_000


async def test_a_compressed_answer_is_not_unpacked(stub: GatewayStub, client: MemoryGatewayClient) -> None:
    bomb = gzip.compress(b'{"results": []}' + b" " * 50_000_000)
    stub.always(SEARCH_PATH, lambda exchange: exchange.send(200, bomb, {"content-encoding": "gzip"}))

    assert said(await failure(client, "search")) == ("invalid_json", 200, "unknown")
    assert stub.requests[0].headers["accept-encoding"] == "identity"


# --- Cancellation -----------------------------------------------------------------------------------------------------


async def test_cancellation_passes_through_and_closes_the_connection(
    stub: GatewayStub, client: MemoryGatewayClient
) -> None:
    closed = asyncio.Event()

    async def wait_for_the_end(exchange: Exchange) -> None:
        await exchange.released.wait()
        with suppress(ConnectionError):
            while not exchange.writer.is_closing():
                exchange.writer.write(b" ")
                await exchange.writer.drain()
        closed.set()

    stub.always(ADD_PATH, wait_for_the_end)
    adding = asyncio.create_task(call(client, "add"))
    await wait_until(lambda: asyncio.sleep(0, bool(stub.requests)), what="the request")

    adding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await adding

    stub.release()
    await asyncio.wait_for(closed.wait(), 10)


async def test_no_cancellation_at_any_step_costs_a_connection() -> None:
    """A call is cancelled after 0, 1, 2, … turns of the loop; whatever was open must be closed, or be idle and reused."""
    open_now = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal open_now
        open_now += 1
        with suppress(ConnectionError):
            while await reader.read(65536):
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
                await writer.drain()
        open_now -= 1
        writer.close()

    async with listening(serve) as port, client_of(f"http://127.0.0.1:{port}") as client:
        for steps in range(60):
            task = asyncio.create_task(client.flush(session_id="s-1"))
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await client.flush(session_id="s-1")
        await wait_until(lambda: asyncio.sleep(0, open_now <= 1), what="every cancelled call's connection to close")

    await wait_until(lambda: asyncio.sleep(0, open_now == 0), what="the idle connection to close")


# --- Secrets ----------------------------------------------------------------------------------------------------------


def echo(exchange: Exchange) -> bytes:
    return exchange.request.raw


async def echo_in_body(exchange: Exchange) -> None:
    await exchange.send(401, echo(exchange))


async def echo_in_reason(exchange: Exchange) -> None:
    exchange.writer.write(f"HTTP/1.1 401 bad key {KEY} {TEXT}\r\nx-key: {KEY}\r\ncontent-length: 0\r\n\r\n".encode())
    await exchange.writer.drain()


async def echo_as_result(exchange: Exchange) -> None:
    await exchange.send(200, b'{"echo": ' + echo(exchange) + b"}x")


async def echo_as_shape(exchange: Exchange) -> None:
    await exchange.send(200, b"[" + echo(exchange) + b"]")


async def echo_and_reset(exchange: Exchange) -> None:
    await exchange.head(200, 1_000_000)
    exchange.writer.write(echo(exchange))
    await exchange.writer.drain()
    exchange.reset()


async def echo_as_protocol(exchange: Exchange) -> None:
    exchange.writer.write(echo(exchange) + b"\r\n\r\n")
    exchange.writer.close()


ECHOES = [echo_in_body, echo_in_reason, echo_as_result, echo_as_shape, echo_and_reset, echo_as_protocol]
FAILURES: list[Behaviour] = [
    *ECHOES,
    hang(),
    drip(0.05),
    reset(),
    cut(),
    hang_up,
    talk_nonsense,
    raw(b"\xff"),
    raw(b"[]"),
    raw(b"x" * (ANSWER_BYTES_MAX + 1)),
    status(403),
    status(503),
]


@pytest.mark.parametrize("operation", PATHS)
async def test_no_error_holds_the_key_or_the_text(stub: GatewayStub, operation: str) -> None:
    async with client_of(stub.url, timeout_s=0.5) as client:
        for behaviour in FAILURES:
            stub.script(PATHS[operation], behaviour)
            error = await failure(client, operation)

            shown = [str(error), repr(error), repr(error.args), repr(vars(error)), *traceback.format_exception(error)]
            assert KEY not in "".join(shown)
            assert TEXT not in "".join(shown)
            assert error.__cause__ is None
            assert error.__context__ is None
            assert set(vars(error)) == {"operation", "path", "status", "category", "outcome"}


async def test_a_traceback_with_locals_does_not_show_the_key(stub: GatewayStub) -> None:
    async with client_of(stub.url, timeout_s=0.5) as client:
        for behaviour in FAILURES:
            stub.script(ADD_PATH, behaviour)
            error = await failure(client, "add")

            frames = traceback.TracebackException.from_exception(error, capture_locals=True)
            assert KEY not in "".join(frames.format())


async def test_a_refused_connection_holds_nothing_either() -> None:
    async with client_of(f"http://127.0.0.1:{free_port()}") as client:
        error = await failure(client)

    assert (error.__cause__, error.__context__) == (None, None)
    assert str(error) == "add /memories/add failed: connect_failed"


async def test_an_error_raised_while_another_is_handled_hides_the_other(stub: GatewayStub) -> None:
    stub.always(ADD_PATH, status(500))
    async with client_of(stub.url) as client:
        try:
            raise ValueError(TEXT)
        except ValueError:
            error = await failure(client)

    assert TEXT not in "".join(traceback.format_exception(error))


@pytest.mark.parametrize("operation", PATHS)
async def test_no_log_line_at_any_level_holds_the_key_or_the_text(
    stub: GatewayStub, operation: str, caplog: pytest.LogCaptureFixture
) -> None:
    """httpcore's debug lines quote a peer's headers, so it is at WARNING, as `configure_logs` sets it."""
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "httpx")
    caplog.set_level(logging.WARNING, "httpcore")
    async with client_of(stub.url, timeout_s=0.5) as client:
        for behaviour in FAILURES:
            stub.script(PATHS[operation], behaviour)
            await failure(client, operation)
        await call(client, operation)

    assert KEY not in caplog.text
    assert TEXT not in caplog.text


async def test_even_httpcores_debug_lines_hold_nothing_of_the_request(
    stub: GatewayStub, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    stub.script(ADD_PATH, ok(), reset(), cut(), status(503))
    async with client_of(stub.url) as client:
        await call(client, "add")
        for _ in range(3):
            await failure(client)

    assert "send_request_body" in caplog.text
    assert KEY not in caplog.text
    assert TEXT not in caplog.text


async def test_neither_client_nor_items_show_secrets_or_text_in_their_repr(
    stub: GatewayStub, client: MemoryGatewayClient
) -> None:
    stub.always(SEARCH_PATH, ok({"results": [{"text": TEXT}]}))

    items = await client.search("s-1", "heron")

    assert KEY not in repr(client) + repr(vars(client))
    assert TEXT not in repr(items)


# --- Ends -------------------------------------------------------------------------------------------------------------


async def test_closing_twice_is_fine_and_nothing_connects_before_the_first_call(stub: GatewayStub) -> None:
    client = MemoryGatewayClient(settings(stub.url))
    await client.aclose()
    await client.aclose()

    assert stub.requests == []


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(serve: Serve) -> AsyncIterator[int]:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while await reader.read(65536):
            pass
    writer.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
