"""One run for one request, however often it is sent: at two servers over SQLite and PostgreSQL, and across restarts."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from beaver.agent.providers.scripted import Step
from beaver.errors import Unavailable
from beaver.server.runs import idempotency
from beaver.server.sessions.placement import Placement
from beaver.sessions.run_queue import RunQueueStore
from beaver.sessions.run_requests import RunRequestStore
from tests.contract.chat_server.scene import ANSWER, SLOW, visible
from tests.contract.chat_server.two_servers import Servers, begin, until
from tests.support.chat_server import CURATED, RunningChatServer, running_chat_server
from tests.support.waiting import wait_until

KEY = {"Idempotency-Key": "k-1", "X-Beaver-Session": "s-1"}
TURN = [("user", "Hello"), ("assistant", "Beavers build dams.")]


async def ask(server: RunningChatServer, **headers: str) -> httpx.Response:
    body = {"messages": [{"role": "user", "content": "Hello"}]}
    return await server.client.post("/v1/chat/completions", json=body, headers={**KEY, **headers})


class Held:
    """Holds the first request back between its claim and the record of its run."""

    def __init__(self, patch: pytest.MonkeyPatch, fault: Exception | None = None) -> None:
        self.arrived, self.released = asyncio.Event(), asyncio.Event()
        self.looks = 0
        self._fault = fault
        self._place, self._find = Placement.place, RunRequestStore.find
        patch.setattr(Placement, "place", lambda *arguments: self._held(*arguments))
        patch.setattr(RunRequestStore, "find", lambda *arguments, **further: self._counted(*arguments, **further))

    async def _held(self, *arguments: Any) -> str:
        if not self.arrived.is_set():
            self.arrived.set()
            await self.released.wait()
            if self._fault is not None:
                raise self._fault
        return await self._place(*arguments)

    async def _counted(self, *arguments: Any, **further: Any) -> Any:
        self.looks += 1
        return await self._find(*arguments, **further)

    async def awaited_by_another(self) -> None:
        """A copy has looked for the run more than once, and waits."""
        seen = self.looks

        async def looked() -> bool:
            return self.looks >= seen + 3

        await wait_until(looked, within_s=60, what="a copy that waits")


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    return Held(monkeypatch)


async def test_one_key_means_one_run_at_both_servers_and_another_body_is_a_conflict(servers: Servers) -> None:
    one, two = await servers.start(ANSWER)
    key = {"Idempotency-Key": "k-1"}
    first = await begin(one, "Hello", **key)
    assert await begin(two, "Hello", **key) == first
    other = await two.client.post("/v1/sessions/s-1/runs", json={"prompt": "Other"}, headers=key)
    assert other.status_code == 409
    await until(one, first, "completed")
    assert await visible(one, "s-1") == TURN


async def test_many_copies_of_one_request_at_once_run_one_turn(servers: Servers) -> None:
    one, two = await servers.start(SLOW)
    answers = await asyncio.gather(*(ask(server) for server in (one, two, one, two)))
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert await visible(one, "s-1") == TURN


async def test_a_copy_waits_for_the_first_to_record_its_run(servers: Servers, held: Held) -> None:
    one, two = await servers.start(ANSWER)
    first = asyncio.create_task(ask(one))
    await held.arrived.wait()
    copy = asyncio.create_task(ask(two))
    await held.awaited_by_another()
    assert not copy.done()
    other = await two.client.post("/v1/sessions/s-1/runs", json={"prompt": "Other"}, headers=KEY)
    assert other.status_code == 409
    held.released.set()
    answers = [(await task).json() for task in (first, copy)]
    assert answers[0]["id"] == answers[1]["id"]
    assert await visible(one, "s-1") == TURN


async def test_a_run_that_is_recorded_while_the_drain_begins_is_not_left_behind(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = await servers.start(ANSWER)
    enqueue = RunQueueStore.enqueue

    async def last_moment(*arguments: Any) -> None:
        await enqueue(*arguments)
        one.runs.begin_drain()

    monkeypatch.setattr(RunQueueStore, "enqueue", last_moment)
    assert (await ask(one)).status_code == 200
    assert await visible(two, "s-1") == TURN


async def test_a_copy_begins_the_run_when_the_first_is_refused(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch, Unavailable("not now"))
    one, two = await servers.start(ANSWER)
    first = asyncio.create_task(ask(one))
    await held.arrived.wait()
    copy = asyncio.create_task(ask(two))
    await held.awaited_by_another()
    held.released.set()
    assert [(await task).status_code for task in (first, copy)] == [503, 200]
    assert await visible(one, "s-1") == TURN


async def test_what_stands_still_before_its_run_is_recorded_is_taken_over_and_runs_nothing(
    servers: Servers, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "START_MS", 200)
    one, two = await servers.start(ANSWER)
    first = asyncio.create_task(ask(one))
    await held.arrived.wait()
    taken_over = await ask(two)
    held.released.set()
    assert (await first).json()["id"] == taken_over.json()["id"]
    assert await visible(one, "s-1") == TURN


async def test_to_wait_for_the_first_copy_is_bounded(
    servers: Servers, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "WAIT_S", 0.1)
    one, two = await servers.start(ANSWER)
    first = asyncio.create_task(ask(one))
    await held.arrived.wait()
    copy = await ask(two)
    assert (copy.status_code, copy.json()["error"]["code"]) == (503, "unavailable")
    held.released.set()
    assert (await first).status_code == 200


async def test_a_retry_of_openais_client_goes_on_with_the_first_try(servers: Servers) -> None:
    one, two = await servers.start(SLOW)
    body = {"messages": [{"role": "user", "content": "Hello"}]}
    headers = {"X-Beaver-Session": "s-1", "x-stainless-retry-count": "0"}
    first = asyncio.create_task(one.client.post("/v1/chat/completions", json=body, headers=headers))

    async def begun() -> bool:
        return bool(one.runs.known_ids())

    await wait_until(begun, within_s=60, what="the first try's run")
    first.cancel()
    again = await two.client.post(
        "/v1/chat/completions", json=body, headers={**headers, "x-stainless-retry-count": "1"}
    )
    assert again.json()["choices"][0]["message"]["content"] == "Beavers build dams."
    assert len(await visible(two, "s-1")) == 2


async def test_a_retry_waits_too_for_the_run_of_the_first_try(servers: Servers, held: Held) -> None:
    one, two = await servers.start(ANSWER)
    body = {"messages": [{"role": "user", "content": "Hello"}]}

    def tried(server: RunningChatServer, count: int) -> asyncio.Task[httpx.Response]:
        headers = {"X-Beaver-Session": "s-1", "x-stainless-retry-count": str(count)}
        return asyncio.create_task(server.client.post("/v1/chat/completions", json=body, headers=headers))

    first = tried(one, 0)
    await held.arrived.wait()
    again = tried(two, 1)
    await held.awaited_by_another()
    held.released.set()
    assert (await first).json()["id"] == (await again).json()["id"]
    assert await visible(one, "s-1") == TURN


async def test_the_same_words_said_again_on_purpose_are_a_new_turn(servers: Servers) -> None:
    one, _ = await servers.start(ANSWER)
    headers = {"X-Beaver-Session": "s-1", "x-stainless-retry-count": "0"}
    body = {"messages": [{"role": "user", "content": "Hello"}]}
    for _ in range(2):
        assert (await one.client.post("/v1/chat/completions", json=body, headers=headers)).status_code == 200
    assert len(await visible(one, "s-1")) == 4


async def test_a_copy_after_the_restart_of_the_server_gets_the_same_answer(tmp_path: Path, database_url: str) -> None:
    config = {**CURATED, "sessions": {"databaseUrl": database_url}}

    async def asked_of_a_new_server(step: Step) -> Any:
        async with running_chat_server(tmp_path, [step], config=config) as server:
            answer = (await ask(server)).json()
            assert await visible(server, "s-1") == TURN
            return answer["id"], answer["choices"]

    first = await asked_of_a_new_server(ANSWER)
    assert await asked_of_a_new_server(Unavailable("nobody asks the model again")) == first
