"""The Memory Gateway is killed while many add and flush: what it answered is there, once, and was learned once; nobody is told
of a locked database."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from beaver.db.engine import Database
from beaver.memory.tables import messages, observations, turns
from tests.support.gateway_nursery import GatewayNursery, gateway_nursery
from tests.support.http import loopback_client
from tests.support.memory_gateway import GatewayProcess, GatewayUser, gateway_process, new_user
from tests.support.waiting import wait_until

ROUNDS = 2
WRITERS = 6
ANSWERED_BEFORE_THE_KILL = 15
FLUSHED_EVERY = 3


@pytest.fixture(scope="module")
def nursery() -> Iterator[GatewayNursery]:
    with gateway_nursery() as opened:
        yield opened


class Writers:
    """Clients that add, each add under a key of its own, and again after a restart until it is answered; and that flush."""

    def __init__(self, user: GatewayUser) -> None:
        self.user = user
        self._asked = 0
        self._waiting: list[str] = []
        self.answered: list[str] = []
        self.statuses: Counter[int] = Counter()

    async def write(self) -> None:
        """Add until the connection breaks."""
        while True:
            text = self._waiting.pop() if self._waiting else self._next()
            try:
                number = int(text.split()[3])
                session = f"s{number % 2}"  # the same again for the same words
                response = await self.user.add(session, text, key=text.replace(" ", "-"))
                if number % FLUSHED_EVERY == 0:
                    self.statuses[(await self.user.flush(session)).status_code] += 1
            except httpx.TransportError:
                self._waiting.append(text)
                return
            self.statuses[response.status_code] += 1
            if response.status_code == 200:
                self.answered.append(text)

    async def have_answers(self, least: int) -> None:
        """Wait until so many adds are answered."""

        async def enough() -> bool:
            return len(self.answered) >= least

        await wait_until(enough, within_s=120, what=f"{least} answered adds")

    def _next(self) -> str:
        self._asked += 1
        return f"Remember that box {self._asked} holds lamps."


async def test_what_was_answered_outlives_kill_9_and_is_stored_and_learned_once(
    tmp_path: Path, url: str, nursery: GatewayNursery
) -> None:
    async with gateway_process(tmp_path, database_url=url, nursery=nursery) as process, _client(process) as http:
        writers = Writers(await new_user(http, "ada"))
        for number in range(1, ROUNDS + 1):
            writing = [asyncio.create_task(writers.write()) for _ in range(WRITERS)]
            await writers.have_answers(number * ANSWERED_BEFORE_THE_KILL)
            process.kill()
            await asyncio.gather(*writing)
            await process.start()
        for session in ("s0", "s1"):
            assert (await writers.user.flush(session)).status_code == 200
    stored = await _stored(url)
    assert set(writers.answered) <= set(stored)
    assert set(stored.values()) == {1}
    assert set(writers.statuses) == {200}
    assert await _learned(url) == {text.removeprefix("Remember that ").rstrip("."): 1 for text in stored}


async def test_two_gateways_add_and_flush_one_session_without_loss(
    tmp_path: Path, url: str, nursery: GatewayNursery
) -> None:
    async with AsyncExitStack() as parts:
        processes = [
            await parts.enter_async_context(gateway_process(tmp_path / name, database_url=url, nursery=nursery))
            for name in ("a", "b")
        ]
        first, second = [await parts.enter_async_context(_client(process)) for process in processes]
        ada = await new_user(first, "ada")
        both = [ada, GatewayUser(second, ada.user_id, ada.user_key)]
        answers = await asyncio.gather(
            *(user.add("s", f"note {number} of {name}") for number in range(20) for name, user in enumerate(both)),
            *(user.flush("s") for _ in range(4) for user in both),
        )
    assert {answer.status_code for answer in answers} == {200}
    assert sorted(await _sequences(url)) == list(range(1, 41))
    assert set((await _stored(url)).values()) == {1}


def _client(process: GatewayProcess) -> httpx.AsyncClient:
    return loopback_client(process.url, timeout=60)


async def _stored(url: str) -> Counter[str]:
    database = Database.open(url)
    try:
        async with database.read() as tx:
            return Counter(await tx.scalars(select(messages.c.content)))
    finally:
        await database.close()


async def _learned(url: str) -> dict[str, int]:
    """What is remembered, and how often it was mentioned."""
    database = Database.open(url)
    try:
        async with database.read() as tx:
            rows = await tx.execute(select(observations.c.title, observations.c.mention_count))
            return {title: mentions for title, mentions in rows}  # noqa: C416 - a row is no pair to mypy
    finally:
        await database.close()


async def _sequences(url: str) -> list[int]:
    database = Database.open(url)
    try:
        async with database.read() as tx:
            return list(await tx.scalars(select(turns.c.sequence)))
    finally:
        await database.close()
