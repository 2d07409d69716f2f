"""A port of loopback that a test answers itself, and bytes passed on between two connections."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(serve: Serve, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A port where each connection is served so, with a context over TLS."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def joined(
    front: tuple[asyncio.StreamReader, asyncio.StreamWriter], behind: tuple[asyncio.StreamReader, asyncio.StreamWriter]
) -> None:
    """Pass everything on between two connections, both ways, until both have ended."""
    await asyncio.gather(_pass_on(front[0], behind[1]), _pass_on(behind[0], front[1]))


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
