"""Cheap questions to parts on this machine."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from beaver.embedded.probes import NEIGHBOURS, answers_http, answers_ping, choose_port, port_is_free
from beaver.errors import Unavailable
from tests.support.ports import free_ports
from tests.support.valkey import ValkeyServer


@asynccontextmanager
async def answering(reply: bytes) -> AsyncIterator[int]:
    """A server that answers every connection with the bytes; gives its port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(reply)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield int(server.sockets[0].getsockname()[1])


@pytest.mark.parametrize(
    ("reply", "serves"),
    [(b"HTTP/1.1 200 OK\r\n\r\n", True), (b"HTTP/1.1 503 No\r\n\r\n", False), (b"", False), (b"200\r\n", False)],
)
async def test_only_an_http_200_counts_as_an_answer(reply: bytes, serves: bool) -> None:
    async with answering(reply) as port:
        assert await answers_http("127.0.0.1", port, "/health") is serves


async def test_nobody_listening_is_no_answer(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    assert not await answers_http("127.0.0.1", port, "/health")
    assert not await answers_ping(tmp_path / "nothing.sock")


async def test_a_queue_server_answers_ping_and_a_frozen_one_does_not(valkey: ValkeyServer) -> None:
    assert await answers_ping(valkey.socket)
    valkey.freeze()
    try:
        assert not await answers_ping(valkey.socket)
    finally:
        valkey.thaw()


def test_the_next_port_after_a_taken_one_is_chosen() -> None:
    (port,) = free_ports(1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        assert not port_is_free("127.0.0.1", port)
        assert port < choose_port("127.0.0.1", port) <= port + NEIGHBOURS
    assert port_is_free("127.0.0.1", port)


def test_a_port_that_is_promised_to_another_part_is_not_chosen() -> None:
    (free,) = free_ports(1)
    assert choose_port("127.0.0.1", free) == free
    assert choose_port("127.0.0.1", free, frozenset({free})) > free


def test_where_every_port_is_promised_that_is_said() -> None:
    with pytest.raises(Unavailable, match=r"no port from 65535 on is free"):
        choose_port("127.0.0.1", 65_535, frozenset({65_535}))
