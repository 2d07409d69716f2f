"""The ways to the chat servers: any request goes through any of them, and comes again through another one when it must."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeVar

import httpx

from tests.support.http import loopback_client

T = TypeVar("T")

AGAIN: Final = frozenset({429, 503})
LEFT: Final = frozenset({("failed", "crashed"), ("failed", "conflict")})
"""How a run may end without an answer: its process died, or stood still (a crowded machine) until its lease had run out."""
PATIENCE_S: Final = 200.0
"""How long a client tries to have one message answered before the drill has failed."""


class Crashed(Exception):
    """The run began or was accepted, and its process left it: the message was not answered, and a user says it anew."""


class TryAgain(Exception):
    """A connection that broke or was refused, or a server that says: in a moment."""


@dataclass(frozen=True)
class Doors:
    """The servers' addresses, and one client for all of them."""

    urls: Sequence[str]
    http: httpx.AsyncClient
    random: Random

    async def ask(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        """One request through a random door, the answer's JSON. Raises TryAgain and Crashed."""
        async with self.opened(method, path, body, headers) as response:
            try:
                await response.aread()
            except httpx.TransportError as error:
                raise TryAgain from error
        return response.json()

    @asynccontextmanager
    async def opened(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[httpx.Response]:
        """The same, with its body still to be read. To leave the block early is to hang up."""
        url = self.random.choice(self.urls) + path
        request = self.http.build_request(method, url, json=body, headers=headers)
        try:
            response = await self.http.send(request, stream=True)
        except httpx.TransportError as error:
            raise TryAgain from error
        try:
            await _judge(response)
            yield response
        finally:
            await response.aclose()

    async def insist(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Try until it does not raise TryAgain, a moment after each time."""
        give_up = time.monotonic() + PATIENCE_S
        while True:
            try:
                return await attempt()
            except TryAgain:
                assert time.monotonic() < give_up, f"no answer within {PATIENCE_S} s"
            await asyncio.sleep(self.random.uniform(0.05, 0.25))


@asynccontextmanager
async def doors_to(urls: Sequence[str], random: Random) -> AsyncIterator[Doors]:
    """Open for the length of the block."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
    async with loopback_client(timeout=PATIENCE_S, limits=limits) as http:
        yield Doors(urls, http, random)


async def _judge(response: httpx.Response) -> None:
    if response.status_code in (200, 202):
        return
    try:
        said = (await response.aread()).decode()
    except httpx.TransportError as error:
        raise TryAgain from error
    if response.headers.get("x-should-retry") == "false":
        raise Crashed(said)
    assert response.status_code in AGAIN, f"{response.status_code}: {said}"
    raise TryAgain
