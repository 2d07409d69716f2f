"""One wall-clock deadline bounds the whole call."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

import pytest

from beaver.client.gateway import MemoryGatewayClient
from beaver.schemas.gateway import SEARCH_PATH
from tests.contract.gateway_client.calls import PATHS, client_of, failure, listening, said
from tests.support.gateway_stub import Behaviour, Exchange, GatewayStub, delay, drip, hang, ok


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


async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while await reader.read(65536):
            pass
    writer.close()


async def test_a_deadline_during_the_connect_phase_is_refused_for_nothing_has_left() -> None:
    """The TCP connection is taken, the TLS handshake never answered."""
    async with listening(say_nothing) as port, client_of(f"https://127.0.0.1:{port}", timeout_s=0.3) as client:
        assert said(await failure(client)) == ("timeout", None, "refused")
