"""What a client may cost before it has asked: the size of a head, and how long one waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from beaver.gateway.serve import server_config as gateway_config
from beaver.listening import BODY_WITHIN_S, HEAD_BYTES_MAX, HEAD_WITHIN_S, BoundedProtocol
from beaver.server.serve import server_config as chat_config

HEAD = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\n"


async def whole_body(_scope: Any, receive: Any, send: Any) -> None:
    """An application that reads all and says yes."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


class Wire(asyncio.Transport):
    """The other end's view of a connection."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)})
        self.sent = b""
        self.closed = False

    def write(self, data: Any) -> None:
        self.sent += data

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None:
        """What is sent by hand is not held back."""

    def resume_reading(self) -> None:
        """The same."""


class Waits:
    """The loop's timers, by how long they wait; the rest is the running loop's."""

    def __init__(self) -> None:
        self.pending: dict[float, Callable[[], None]] = {}

    def call_later(self, delay: float, callback: Callable[[], None]) -> Any:
        self.pending[delay] = callback
        return _Handle(self, delay)

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio.get_running_loop(), name)


class _Handle:
    def __init__(self, waits: Waits, delay: float) -> None:
        self._waits, self._delay = waits, delay

    def cancel(self) -> None:
        self._waits.pending.pop(self._delay, None)


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def waits() -> Waits:
    return Waits()


def connected(wire: Wire, waits: Waits) -> BoundedProtocol:
    config = uvicorn.Config(whole_body, log_config=None, lifespan="off")
    config.load()
    protocol = BoundedProtocol(config=config, server_state=ServerState(), app_state={}, _loop=waits)
    protocol.connection_made(wire)
    return protocol


def test_both_servers_have_these_bounds() -> None:
    assert chat_config(whole_body).http is BoundedProtocol
    assert gateway_config(whole_body).http is BoundedProtocol  # type: ignore[arg-type]


def test_no_server_speaks_websocket_whose_library_logs_paths_and_queries() -> None:
    assert chat_config(whole_body).ws == "none"
    assert gateway_config(whole_body).ws == "none"  # type: ignore[arg-type]


@pytest.mark.parametrize("piece", [b"X-A: b\r\n", b"aaaaaaaa"], ids=["many headers", "one long header"])
async def test_a_head_without_end_is_refused(wire: Wire, waits: Waits, piece: bytes) -> None:
    protocol = connected(wire, waits)
    protocol.data_received(b"GET / HTTP/1.1\r\nHost: here\r\nX-Long: ")
    pieces = 0
    while not wire.closed and pieces <= HEAD_BYTES_MAX:
        protocol.data_received(piece)
        pieces += 1
    assert wire.sent.startswith(b"HTTP/1.1 431 ")
    head, _, body = wire.sent.partition(b"\r\n\r\n")
    assert f"content-length: {len(body)}\r\n".encode() in head + b"\r\n"


async def test_a_long_body_is_no_long_head(wire: Wire, waits: Waits) -> None:
    protocol = connected(wire, waits)
    protocol.data_received(HEAD.replace(b"4", b"%d" % (3 * HEAD_BYTES_MAX)))
    for _ in range(3):
        protocol.data_received(b"a" * HEAD_BYTES_MAX)
    assert not wire.closed


async def test_who_connects_and_says_nothing_is_cut_off(wire: Wire, waits: Waits) -> None:
    connected(wire, waits)
    waits.pending[HEAD_WITHIN_S]()
    assert wire.closed


async def test_a_request_that_stops_half_way_is_cut_off(wire: Wire, waits: Waits) -> None:
    protocol = connected(wire, waits)
    protocol.data_received(HEAD)
    assert set(waits.pending) == {BODY_WITHIN_S}
    protocol.data_received(b"ab")
    waits.pending[BODY_WITHIN_S]()
    assert wire.closed


async def test_a_whole_request_waits_as_long_as_its_answer_takes_and_so_does_the_next(wire: Wire, waits: Waits) -> None:
    protocol = connected(wire, waits)
    for _ in range(2):
        protocol.data_received(HEAD + b"abcd")
        assert not {HEAD_WITHIN_S, BODY_WITHIN_S} & set(waits.pending)
    protocol.data_received(b"POST /")
    assert HEAD_WITHIN_S in waits.pending
    protocol.connection_lost(None)
    assert not {HEAD_WITHIN_S, BODY_WITHIN_S} & set(waits.pending)
