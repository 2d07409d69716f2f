"""Large bodies, which are read before anybody knows whose they are, are held in a bounded number; small ones never wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx

from beaver.gateway.app import create_app
from beaver.gateway.transports.http import LARGE_BODIES_MAX, LARGE_BODY_BYTES
from beaver.memory.runtime import MemoryRuntime
from tests.support.waiting import wait_until

JSON = {"Content-Type": "application/json"}


class Sender:
    """Sends half of a large body, and the rest once it may."""

    def __init__(self, may_end: asyncio.Event) -> None:
        self.was_read_on = False
        self._may_end = may_end

    async def body(self) -> AsyncIterator[bytes]:
        yield b" " * (LARGE_BODY_BYTES + 1)
        self.was_read_on = True
        await self._may_end.wait()
        yield b"{}"


async def test_so_many_large_bodies_are_held_at_once_and_small_ones_do_not_wait(memory_sqlite_url: str) -> None:
    runtime = await MemoryRuntime.open(memory_sqlite_url)
    may_end = asyncio.Event()
    senders = [Sender(may_end) for _ in range(LARGE_BODIES_MAX + 1)]
    transport = httpx.ASGITransport(create_app(runtime, admin_key=None, trust_loopback=True))
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=JSON) as http:
            sent = [asyncio.create_task(http.post("/memories/add", content=sender.body())) for sender in senders]

            async def as_many_are_held() -> bool:
                return sum(sender.was_read_on for sender in senders) == LARGE_BODIES_MAX

            await wait_until(as_many_are_held, what="as many large bodies as there is room for")
            assert (await http.post("/memories/add", content=b"{}")).status_code == 400
            assert await as_many_are_held()
            may_end.set()
            assert {(await each).status_code for each in sent} == {400}
    finally:
        await runtime.close()
    assert all(sender.was_read_on for sender in senders)
