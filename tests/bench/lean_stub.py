"""A Memory Gateway that costs next to nothing, in a process of its own: `python -m tests.bench.lean_stub [MS]` prints its port.

It answers every POST with an empty receipt, at once or after so many milliseconds, and remembers when each add and flush had
come in. `GET /times` tells.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH, IDEMPOTENCY_HEADER

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_KEY = re.compile(rb"\r\n" + IDEMPOTENCY_HEADER.encode() + rb": *([^\r]+)", re.IGNORECASE)
_RECEIPT = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"


@dataclass(frozen=True)
class Times:
    """When the Gateway had a request in full, by the clock `time.monotonic`, which all processes of a host share."""

    adds: dict[str, float]
    flushes: list[float]


@dataclass(frozen=True)
class LeanStub:
    """The running process."""

    url: str

    def times(self) -> Times:
        """What it has seen until now."""
        with urllib.request.urlopen(f"{self.url}/times") as answer:
            return Times(**json.load(answer))


@contextmanager
def running_lean_stub(*, answer_ms: int = 0) -> Iterator[LeanStub]:
    """Start it; kill it at the end."""
    command = [sys.executable, "-m", "tests.bench.lean_stub", str(answer_ms)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield LeanStub(f"http://127.0.0.1:{int(process.stdout.readline())}")
    finally:
        process.kill()
        process.wait()


class _Connection(asyncio.Protocol):
    def __init__(self, times: Times, answer_s: float) -> None:
        self._times = times
        self._answer_s = answer_s
        self._waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._waiting += data
        while (end := self._waiting.find(b"\r\n\r\n")) >= 0:
            head = self._waiting[:end]
            length = _LENGTH.search(head)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self._waiting) < whole:
                return
            self._waiting = self._waiting[whole:]
            self._send(self._answer(head))

    def _send(self, answer: bytes) -> None:
        if self._answer_s:
            asyncio.get_running_loop().call_later(self._answer_s, self._transport.write, answer)
        else:
            self._transport.write(answer)

    def _answer(self, head: bytes) -> bytes:
        path = head.split(b" ", 2)[1].decode()
        if path == ADD_PATH:
            key = _KEY.search(head)
            self._times.adds[key[1].decode() if key else ""] = time.monotonic()
        elif path == FLUSH_PATH:
            self._times.flushes.append(time.monotonic())
        else:
            told = json.dumps(vars(self._times)).encode()
            return b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(told), told)
        return _RECEIPT


async def _serve(answer_s: float) -> None:
    times = Times({}, [])
    server = await asyncio.get_running_loop().create_server(lambda: _Connection(times, answer_s), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]) / 1000 if len(sys.argv) > 1 else 0))
