"""A counting Memory Gateway on loopback: real HTTP over real sockets, scripted to answer well, badly, late or never.

    async with running_gateway_stub() as stub:
        stub.script(ADD_PATH, status(500))              # the next add; later ones are answered well again
        stub.always(SEARCH_PATH, hang())                # every search from now on
        ...
        assert stub.bodies(ADD_PATH) == [...]

A behaviour is an async function of one Exchange; write another one where a test needs it. A request is
recorded once its body has been read in full, before the behaviour runs.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH, SEARCH_PATH


@dataclass(frozen=True)
class Recorded:
    """One request as it came: header names in lower case, the body's bytes and what they say as JSON (None if unreadable)."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: Any


@dataclass(frozen=True)
class Exchange:
    """One request and the way to answer it."""

    request: Recorded
    writer: asyncio.StreamWriter
    released: asyncio.Event

    async def send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """A whole answer; the connection stays open."""
        await self.head(status, len(body), headers)
        self.writer.write(body)
        await self.writer.drain()

    async def head(self, status: int, length: int, headers: Mapping[str, str] | None = None) -> None:
        """Status line and headers alone, promising `length` bytes."""
        lines = [f"HTTP/1.1 {status} Stub", "content-type: application/json", f"content-length: {length}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        await self.writer.drain()

    def reset(self) -> None:
        """Drop the connection the hard way (RST)."""
        raw: socket.socket = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Behaviour = Callable[[Exchange], Awaitable[None]]


def ok(body: Any = None) -> Behaviour:
    """200 with the given JSON, or with a fitting receipt."""

    async def answer(exchange: Exchange) -> None:
        content = _receipt(exchange.request) if body is None else body
        await exchange.send(200, json.dumps(content).encode())

    return answer


def status(code: int, body: Any = None, headers: Mapping[str, str] | None = None) -> Behaviour:
    """Any status, with a JSON body."""
    return lambda exchange: exchange.send(code, json.dumps(body or {"error": "stub"}).encode(), headers)


def raw(content: bytes, code: int = 200) -> Behaviour:
    """A body of any bytes: garbage for JSON, 50 MB, nothing at all."""
    return lambda exchange: exchange.send(code, content)


def hang() -> Behaviour:
    """Says nothing until `stub.release()`; then answers well."""

    async def answer(exchange: Exchange) -> None:
        await exchange.released.wait()
        await ok()(exchange)

    return answer


def delay(seconds: float, then: Behaviour | None = None) -> Behaviour:
    """Waits, then behaves."""

    async def answer(exchange: Exchange) -> None:
        await asyncio.sleep(seconds)
        await (then or ok())(exchange)

    return answer


def drip(pause_s: float, content: bytes = b'{"results": []}' + b" " * 10_000) -> Behaviour:
    """Sends the headers at once and the body byte by byte, `pause_s` apart: no single read is ever late."""

    async def answer(exchange: Exchange) -> None:
        await exchange.head(200, len(content))
        for position in range(len(content)):
            exchange.writer.write(content[position : position + 1])
            await exchange.writer.drain()
            await asyncio.sleep(pause_s)

    return answer


def reset() -> Behaviour:
    """Reads the whole request, then resets the connection without a word."""

    async def answer(exchange: Exchange) -> None:
        exchange.reset()

    return answer


def cut(promised: int = 1000, sent: bytes = b'{"results": [') -> Behaviour:
    """Promises a body, sends a part of it, and resets the connection."""

    async def answer(exchange: Exchange) -> None:
        await exchange.head(200, promised)
        exchange.writer.write(sent)
        await exchange.writer.drain()
        exchange.reset()

    return answer


class GatewayStub:
    """The server's state: what it saw, and what it will do."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[Recorded] = []
        self._scripted: dict[str, deque[Behaviour]] = defaultdict(deque)
        self._standing: dict[str, Behaviour] = {}
        self._released = asyncio.Event()

    def script(self, path: str, *behaviours: Behaviour) -> None:
        """What the next requests of this path get, in turn."""
        self._scripted[path].extend(behaviours)

    def always(self, path: str, behaviour: Behaviour) -> None:
        """What every request of this path gets that no script is left for."""
        self._standing[path] = behaviour

    def release(self) -> None:
        """Let everything that hangs, now or later, be answered."""
        self._released.set()

    def seen(self, path: str) -> list[Recorded]:
        """The requests of one path, oldest first."""
        return [request for request in self.requests if request.path == path]

    def bodies(self, path: str) -> list[Any]:
        """Their JSON bodies."""
        return [request.body for request in self.seen(path)]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: requests one after the other until the peer or a behaviour ends it."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while not writer.is_closing():
                request = await _read_request(reader)
                self.requests.append(request)
                await self._next(request.path)(Exchange(request, writer, self._released))
        writer.close()

    def _next(self, path: str) -> Behaviour:
        waiting = self._scripted[path]
        return waiting.popleft() if waiting else self._standing.get(path, ok())


@asynccontextmanager
async def running_gateway_stub(port: int = 0) -> AsyncIterator[GatewayStub]:
    """A stub on a free port of loopback (or a given one); everything that still hangs is cut at the end."""
    stub = GatewayStub()
    connections: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(stub.serve(reader, writer))
        connections.add(task)
        task.add_done_callback(connections.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", port)
    stub.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield stub
    finally:
        server.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


async def _read_request(reader: asyncio.StreamReader) -> Recorded:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, path, _version = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    content = await reader.readexactly(int(headers.get("content-length", "0")))
    try:
        body = json.loads(content) if content else None
    except ValueError:
        body = None
    return Recorded(method, path, headers, content, body)


def _receipt(request: Recorded) -> dict[str, Any]:
    asked = request.body if isinstance(request.body, dict) else {}
    match request.path:
        case path if path == ADD_PATH:
            ids = [f"message-{number}" for number, _ in enumerate(asked.get("messages", []), start=1)]
            return {"session_id": asked.get("session_id", ""), "message_ids": ids}
        case path if path == FLUSH_PATH:
            return {"session_id": asked.get("session_id", ""), "flushed_messages": 2}
        case path if path == SEARCH_PATH:
            return {"results": []}
        case _:
            return {}
