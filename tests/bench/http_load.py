"""A client that costs little beside what it measures: HTTP/1.1 over connections that stay open."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ASK = "/v1/chat/completions"
# What the first piece of an answer holds, after the chunk that names the role alone.
FIRST_WORD = b'"content":"Beavers'


@dataclass(frozen=True)
class Timed:
    """Seconds from the request to the first word of the answer, and to its end."""

    first_s: float
    whole_s: float


@dataclass(frozen=True)
class Load:
    """What many requests took, all of them together and each."""

    seconds: float
    answers: Sequence[Timed]

    @property
    def a_second(self) -> float:
        """Requests a second."""
        return len(self.answers) / self.seconds


class Connection:
    """One connection, for one request after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int) -> Connection:
        """Connect."""
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    def close(self) -> None:
        """Hang up."""
        self._writer.close()

    async def ask(self, request: bytes) -> Timed:
        """Send a request and read its answer to the end."""
        begun = time.perf_counter()
        await self.begin(request)
        first = 0.0
        while piece := await self.piece():
            if not first and FIRST_WORD in piece:
                first = time.perf_counter() - begun
        return Timed(first, time.perf_counter() - begun)

    async def begin(self, request: bytes) -> None:
        """Send a request and read the head of its answer; fails unless that says 200."""
        self._writer.write(request)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        assert head.startswith(b"http/1.1 200"), head[:200]
        _, found, rest = head.partition(b"\r\ncontent-length:")
        self._left = int(rest.split(b"\r\n", 1)[0]) if found else None

    async def piece(self) -> bytes:
        """The next piece of the answer; empty at its end."""
        if self._left is not None:
            whole, self._left = await self._reader.readexactly(self._left), 0
            return whole
        length = int(await self._reader.readuntil(b"\r\n"), 16)
        return (await self._reader.readexactly(length + 2))[:-2]


def request_of(body: Mapping[str, Any] | None, session: str | None = None) -> bytes:
    """A chat completion's request, in a fresh session or the one named; without a body that for readiness."""
    if body is None:
        return b"GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\n"
    content = json.dumps(body).encode()
    head = f"POST {ASK} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(content)}"
    head += f"\r\nX-Beaver-Session: {session}" if session else ""
    return head.encode() + b"\r\n\r\n" + content


async def answer_of(port: int, body: Mapping[str, Any] | None) -> str:
    """One answer as it came, over a connection of its own."""
    connection = await Connection.open(port)
    try:
        await connection.begin(request_of(body))
        pieces = []
        while piece := await connection.piece():
            pieces.append(piece)
        return b"".join(pieces).decode()
    finally:
        connection.close()


async def load(ports: Sequence[int], body: Mapping[str, Any], *, requests: int, at_once: int) -> Load:
    """So many requests, so many at once, over all ports in turn."""
    request, left, answers = request_of(body), iter(range(requests)), list[Timed]()
    connections = [await Connection.open(ports[number % len(ports)]) for number in range(at_once)]

    async def work(connection: Connection) -> None:
        for _ in left:
            answers.append(await connection.ask(request))

    begun = time.perf_counter()
    await asyncio.gather(*(work(connection) for connection in connections))
    took = time.perf_counter() - begun
    for connection in connections:
        connection.close()
    return Load(took, answers)
