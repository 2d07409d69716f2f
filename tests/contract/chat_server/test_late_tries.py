"""OpenAI's clients send no key: whatever the order in which their tries come, at two servers, one turn is run."""

from __future__ import annotations

import asyncio
from itertools import permutations

import httpx
import pytest

from beaver.errors import Unavailable
from beaver.server.runs import idempotency
from tests.contract.chat_server.scene import ANSWER, SLOW, visible
from tests.contract.chat_server.test_idempotency import TURN, Held
from tests.contract.chat_server.two_servers import Servers
from tests.support.chat_server import RunningChatServer


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, what comes soon here comes within these windows."""
    monkeypatch.setattr(idempotency, "RETRY_WITHIN_MS", 120_000)
    monkeypatch.setattr(idempotency, "LATE_WITHIN_MS", 120_000)


async def tried(server: RunningChatServer, count: int, session_id: str = "s-1") -> httpx.Response:
    """The client's try after so many others."""
    headers = {"X-Beaver-Session": session_id, "x-stainless-retry-count": str(count)}
    body = {"messages": [{"role": "user", "content": "Hello"}]}
    return await server.client.post("/v1/chat/completions", json=body, headers=headers)


async def test_whatever_the_order_of_three_tries_they_are_one_turn(servers: Servers) -> None:
    both = await servers.start(ANSWER)
    for number, order in enumerate(permutations(range(3))):
        session_id = f"s-{number}"
        answers = [await tried(both[place % 2], count, session_id) for place, count in enumerate(order)]
        assert len({answer.json()["id"] for answer in answers}) == 1
        assert await visible(both[0], session_id) == TURN


async def test_tries_that_come_at_once_are_one_turn(servers: Servers) -> None:
    one, two = await servers.start(SLOW)
    tries = [tried(server, count, f"s-{number}") for number in range(3) for server, count in ((one, 0), (two, 1))]
    answers = await asyncio.gather(*tries)
    assert len({answer.json()["id"] for answer in answers}) == 3
    for number in range(3):
        assert await visible(one, f"s-{number}") == TURN


async def test_a_late_first_try_waits_for_the_run_of_its_retry(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)
    one, two = await servers.start(ANSWER)
    retry = asyncio.create_task(tried(one, 1))
    await held.arrived.wait()
    first = asyncio.create_task(tried(two, 0))
    await held.awaited_by_another()
    held.released.set()
    assert (await first).json()["id"] == (await retry).json()["id"]
    assert await visible(one, "s-1") == TURN


async def test_one_first_try_is_late_and_a_further_one_is_said_on_purpose(servers: Servers) -> None:
    one, two = await servers.start(ANSWER)
    ids = [(await tried(server, count)).json()["id"] for server, count in ((one, 1), (two, 0), (one, 0))]
    assert ids[0] == ids[1] != ids[2]
    assert await visible(one, "s-1") == [*TURN, *TURN]


async def test_a_first_try_long_after_a_retry_is_a_turn_of_its_own(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "LATE_WITHIN_MS", 0)
    one, two = await servers.start(ANSWER)
    assert (await tried(one, 1)).json()["id"] != (await tried(two, 0)).json()["id"]
    assert await visible(one, "s-1") == [*TURN, *TURN]


async def test_a_late_first_try_begins_the_run_that_its_retry_was_refused(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch, Unavailable("not now"))
    one, two = await servers.start(ANSWER)
    held.released.set()
    assert [(await tried(server, count)).status_code for server, count in ((one, 1), (two, 0))] == [503, 200]
    assert await visible(one, "s-1") == TURN
