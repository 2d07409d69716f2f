"""Neither key nor text in an error, a traceback, a log line or a repr, whatever the Gateway does."""

from __future__ import annotations

import logging
import traceback

import pytest

from beaver.client.gateway import ANSWER_BYTES_MAX, MemoryGatewayClient
from beaver.schemas.gateway import ADD_PATH, SEARCH_PATH
from tests.contract.gateway_client.calls import KEY, PATHS, TEXT, call, client_of, failure, hang_up, talk_nonsense
from tests.support.gateway_stub import Behaviour, Exchange, GatewayStub, cut, drip, hang, ok, raw, reset, status
from tests.support.ports import free_ports


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
            assert set(vars(error)) == {"operation", "path", "status", "category", "outcome", "retry_after_s"}


async def test_a_traceback_with_locals_does_not_show_the_key(stub: GatewayStub) -> None:
    async with client_of(stub.url, timeout_s=0.5) as client:
        for behaviour in FAILURES:
            stub.script(ADD_PATH, behaviour)
            error = await failure(client, "add")

            frames = traceback.TracebackException.from_exception(error, capture_locals=True)
            assert KEY not in "".join(frames.format())


async def test_a_refused_connection_holds_nothing_either() -> None:
    async with client_of(f"http://127.0.0.1:{free_ports(1)[0]}") as client:
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
