"""Connections to one peer: reused after a clean call, closed for certain after any other end."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx


class Connections:
    """A bounded set of keep-alive connections, one transport each.

    Not one httpx pool for all: its pool loses a slot and a socket for ever when a call is cancelled between connect and
    the first byte, and here every deadline is a cancellation. A transport that served a broken call is closed whole.
    """

    def __init__(self, ssl_context: ssl.SSLContext, *, calls_max: int, idle_max: int, idle_s: float) -> None:
        """At most `calls_max` calls at once and `idle_max` idle connections, none reused after `idle_s` seconds."""
        self._ssl_context = ssl_context
        self._limits = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=idle_s)
        self._room = asyncio.Semaphore(calls_max)
        self._idle: list[httpx.AsyncHTTPTransport] = []
        self._idle_max = idle_max

    @asynccontextmanager
    async def borrow(self) -> AsyncIterator[httpx.AsyncBaseTransport]:
        """A transport for one call, waiting while `calls_max` are out. Leaving by an exception closes its connection."""
        async with self._room:
            transport = self._idle.pop() if self._idle else self._fresh()
            clean = False
            try:
                yield transport
                clean = True
            finally:
                if clean and len(self._idle) < self._idle_max:
                    self._idle.append(transport)
                else:
                    await transport.aclose()

    def _fresh(self) -> httpx.AsyncHTTPTransport:
        return httpx.AsyncHTTPTransport(verify=self._ssl_context, trust_env=False, limits=self._limits, retries=0)

    async def aclose(self) -> None:
        """Close every idle connection; idempotent. Those in use close when their call ends."""
        self._idle_max = 0
        while self._idle:
            await self._idle.pop().aclose()
