"""Our servers send what they have at once: on an open connection, an answer must not wait for an acknowledgement."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import pytest

from beaver.config.settings import ServerSettings
from beaver.gateway.serve import bind
from beaver.server.serve import listen
from tests.support.ports import free_ports


def chat_server() -> socket.socket:
    return listen(ServerSettings(port=free_ports(1)[0]))


def gateway() -> socket.socket:
    return bind("127.0.0.1", 0)


@pytest.mark.parametrize("listening", [chat_server, gateway])
async def test_an_accepted_connection_does_not_gather_small_packets(listening: Callable[[], socket.socket]) -> None:
    accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def look(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    listener = listening()
    async with await asyncio.start_server(look, sock=listener):
        _, client = await asyncio.open_connection(*listener.getsockname())
        assert await accepted
        client.close()
        await client.wait_closed()
