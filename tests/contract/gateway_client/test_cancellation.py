"""A cancelled call lets the cancellation through and costs no connection."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from beaver.client.gateway import MemoryGatewayClient
from beaver.schemas.gateway import ADD_PATH
from tests.contract.gateway_client.calls import call, client_of, listening
from tests.support.gateway_stub import Exchange, GatewayStub
from tests.support.waiting import wait_until


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
