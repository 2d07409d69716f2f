"""Connections that fail, break, are kept, and are never asked twice."""

from __future__ import annotations

import asyncio
import gzip
from typing import Any

import pytest

from beaver.client.gateway import ANSWER_BYTES_MAX, MemoryGatewayClient
from beaver.errors import ConfigError
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH, SEARCH_PATH
from tests.contract.gateway_client.calls import (
    PATHS,
    TURN,
    call,
    client_of,
    failure,
    hang_up,
    listening,
    said,
    settings,
    talk_nonsense,
)
from tests.support.gateway_stub import (
    Behaviour,
    Exchange,
    GatewayStub,
    cut,
    ok,
    raw,
    reset,
    running_gateway_stub,
    status,
)
from tests.support.ports import free_ports


async def test_a_port_that_nobody_listens_on_is_refused() -> None:
    async with client_of(f"http://127.0.0.1:{free_ports(1)[0]}") as client:
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


async def test_closing_twice_is_fine_and_nothing_connects_before_the_first_call(stub: GatewayStub) -> None:
    client = MemoryGatewayClient(settings(stub.url))
    await client.aclose()
    await client.aclose()

    assert stub.requests == []
