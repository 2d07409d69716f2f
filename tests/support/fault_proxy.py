"""A TCP proxy on loopback that passes, resets, swallows, slows or cuts what goes through it."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Literal

Fault = Literal["pass", "reset", "blackhole", "slow", "late", "cut", "cut_answer"]


@dataclass
class FaultProxy:
    """What it does with connections and bytes from now on.

    `cut` and `cut_answer` let `cut_after` bytes of a connection through, from the client or back to it, then call `on_cut`
    and reset both sides. `slow` waits `pause_s` before every byte of the answer, `late` before every answer, as a long way does.
    """

    target_port: int
    fault: Fault = "pass"
    cut_after: int = 0
    on_cut: Callable[[], None] = lambda: None
    pause_s: float = 0.05
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until either side ends it."""
        if self.fault == "reset":
            _reset(writer)
            return
        with suppress(OSError):
            upstream_reader, upstream = await asyncio.open_connection("127.0.0.1", self.target_port)
            try:
                there = asyncio.create_task(self._pump(reader, upstream, "cut"))
                back = asyncio.create_task(self._pump(upstream_reader, writer, "cut_answer"))
                await asyncio.wait({there, back}, return_when=asyncio.FIRST_COMPLETED)
                for pump in (there, back):
                    pump.cancel()
                await asyncio.gather(there, back, return_exceptions=True)
            finally:
                for side in (upstream, writer):
                    _reset(side) if self.fault in {"cut", "cut_answer"} else side.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, cut: Fault) -> None:
        passed = 0
        while data := await reader.read(1 if self.fault == "slow" and cut == "cut_answer" else 65536):
            if self.fault == "blackhole":
                continue
            if self.fault == "slow" and cut == "cut_answer":
                await asyncio.sleep(self.pause_s)
            if self.fault == "late" and cut == "cut_answer":
                await asyncio.sleep(self.pause_s)
            ends = self.fault == cut and passed + len(data) >= self.cut_after
            writer.write(data[: self.cut_after - passed] if ends else data)
            await writer.drain()
            passed += len(data)
            if ends:
                self.on_cut()
                return


@asynccontextmanager
async def running_fault_proxy(target_port: int) -> AsyncIterator[FaultProxy]:
    """A proxy on a free port before a port of loopback; whatever goes through it is cut at the end."""
    proxy = FaultProxy(target_port)
    connections: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(proxy.serve(reader, writer))
        connections.add(task)
        task.add_done_callback(connections.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        server.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


def _reset(writer: asyncio.StreamWriter) -> None:
    raw: socket.socket = writer.get_extra_info("socket")
    with suppress(OSError):
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
