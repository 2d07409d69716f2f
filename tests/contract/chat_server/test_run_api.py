"""Runs by themselves, at any of two servers over one database: SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from beaver.agent.providers.scripted import Step
from beaver.sessions.run_events import RunEventStore
from tests.contract.chat_server.scene import ANSWER, NEVER, SLOW, visible
from tests.support.chat_server import CURATED, RunningChatServer, running_chat_server
from tests.support.waiting import wait_until


class Servers:
    """Two chat servers over one database."""

    def __init__(self, opened: AsyncExitStack, root: Path, database_url: str) -> None:
        self._opened = opened
        self._root = root
        self._database_url = database_url

    async def start(self, *steps: Step, **server: Any) -> tuple[RunningChatServer, RunningChatServer]:
        """Both say the same."""
        config = {**CURATED, "sessions": {"databaseUrl": self._database_url}, "server": server}
        one, two = [
            await self._opened.enter_async_context(
                running_chat_server(self._root / name, steps, config=config, drain_s=0.1)
            )
            for name in ("one", "two")
        ]
        return one, two


@pytest.fixture
async def servers(tmp_path: Path, database_url: str) -> AsyncIterator[Servers]:
    async with AsyncExitStack() as opened:
        yield Servers(opened, tmp_path, database_url)


@dataclass(frozen=True)
class Told:
    """One server-sent event."""

    id: int
    kind: str
    data: dict[str, Any]


async def begin(server: RunningChatServer, prompt: str = "Hello", session: str = "s-1", **headers: str) -> str:
    response = await server.client.post(f"/v1/sessions/{session}/runs", json={"prompt": prompt}, headers=headers)
    assert response.status_code == 202, response.text
    return str(response.json()["id"])


async def stream(server: RunningChatServer, run_id: str, after: int = 0) -> list[Told]:
    headers = {"Last-Event-ID": str(after)} if after else {}
    text = (await server.client.get(f"/v1/runs/{run_id}/events", headers=headers)).text
    blocks = [
        dict(line.split(": ", 1) for line in block.splitlines()) for block in text.split("\n\n") if "id: " in block
    ]
    return [Told(int(block["id"]), block["event"], json.loads(block["data"])) for block in blocks]


async def status_of(server: RunningChatServer, run_id: str) -> str:
    return str((await server.client.get(f"/v1/runs/{run_id}")).json()["status"])


async def until(server: RunningChatServer, run_id: str, status: str) -> None:
    async def reached() -> bool:
        return await status_of(server, run_id) == status

    await wait_until(reached, what=f"the run's {status}")


def words(told: list[Told]) -> str:
    return "".join(event.data["text"] for event in told if event.kind == "run.text")


async def test_a_run_is_accepted_at_once_and_told_by_the_other_server(servers: Servers) -> None:
    one, two = await servers.start(SLOW)
    run_id = await begin(one)
    assert await status_of(two, run_id) in ("queued", "running")
    told = await stream(two, run_id)
    assert (told[0].kind, told[-1].kind) == ("run.started", "run.ended")
    assert words(told) == "Beavers build dams."
    assert told[-2].data == {"text": "Beavers build dams."}
    seen = (await two.client.get(f"/v1/runs/{run_id}")).json()
    assert (seen["status"], seen["answer"]) == ("completed", "Beavers build dams.")


async def test_a_stream_is_resumed_after_any_event_at_the_other_server(servers: Servers) -> None:
    one, two = await servers.start(SLOW)
    run_id = await begin(one)
    whole = await stream(one, run_id)
    for event in whole[:-1]:
        assert await stream(two, run_id, after=event.id) == whole[event.id :]


async def test_a_pruned_stream_still_tells_the_answer_and_the_end(servers: Servers) -> None:
    one, _ = await servers.start(ANSWER)
    run_id = await begin(one)
    await stream(one, run_id)
    await asyncio.sleep(0.01)  # so that the stream is older than nothing by the database's clock
    async with one.engine.database.write() as tx:
        assert await RunEventStore(one.engine.database.dialect).prune(tx, older_ms=0) > 0
    assert [(event.kind, event.data.get("text")) for event in await stream(one, run_id)] == [
        ("run.answered", "Beavers build dams."),
        ("run.ended", None),
    ]


async def test_a_run_is_stopped_by_the_other_server(servers: Servers) -> None:
    one, two = await servers.start(NEVER)
    run_id = await begin(one)
    await until(two, run_id, "running")
    assert (await two.client.post(f"/v1/runs/{run_id}/stop")).status_code == 202
    await until(two, run_id, "cancelled")
    assert (await two.client.post(f"/v1/runs/{run_id}/stop")).status_code == 409
    assert (await stream(two, run_id))[-1].data["status"] == "cancelled"


async def test_a_run_that_waits_for_its_session_can_be_stopped_too(servers: Servers) -> None:
    one, two = await servers.start(NEVER)
    first = await begin(one)
    await until(one, first, "running")
    second = await begin(one, "And?")
    assert (await two.client.post(f"/v1/runs/{second}/stop")).status_code == 202
    await until(two, second, "cancelled")
    assert await status_of(two, first) == "running"


async def test_one_key_means_one_run_at_both_servers_and_another_body_is_a_conflict(servers: Servers) -> None:
    one, two = await servers.start(ANSWER)
    key = {"Idempotency-Key": "k-1"}
    first = await begin(one, "Hello", **key)
    assert await begin(two, "Hello", **key) == first
    other = await two.client.post("/v1/sessions/s-1/runs", json={"prompt": "Other"}, headers=key)
    assert other.status_code == 409
    await until(one, first, "completed")
    assert await visible(one, "s-1") == [("user", "Hello"), ("assistant", "Beavers build dams.")]


async def test_many_copies_of_one_request_at_once_run_one_turn(servers: Servers) -> None:
    one, two = await servers.start(SLOW)

    async def ask(server: RunningChatServer) -> httpx.Response:
        body = {"messages": [{"role": "user", "content": "Hello"}]}
        return await server.client.post(
            "/v1/chat/completions", json=body, headers={"Idempotency-Key": "k-2", "X-Beaver-Session": "s-1"}
        )

    answers = await asyncio.gather(*(ask(server) for server in (one, two, one, two)))
    answered = [answer for answer in answers if answer.status_code == 200]
    assert {answer.json()["choices"][0]["message"]["content"] for answer in answered} == {"Beavers build dams."}
    assert {answer.status_code for answer in answers} <= {200, 409}
    assert len(await visible(one, "s-1")) == 2


async def test_a_retry_of_openais_client_goes_on_with_the_first_try(servers: Servers) -> None:
    one, two = await servers.start(SLOW)
    body = {"messages": [{"role": "user", "content": "Hello"}]}
    headers = {"X-Beaver-Session": "s-1", "x-stainless-retry-count": "0"}
    with pytest.raises(httpx.ReadTimeout):
        await one.client.post("/v1/chat/completions", json=body, headers=headers, timeout=0.2)
    again = await two.client.post(
        "/v1/chat/completions", json=body, headers={**headers, "x-stainless-retry-count": "1"}
    )
    assert again.json()["choices"][0]["message"]["content"] == "Beavers build dams."
    assert len(await visible(two, "s-1")) == 2


async def test_the_same_words_said_again_on_purpose_are_a_new_turn(servers: Servers) -> None:
    one, _ = await servers.start(ANSWER)
    headers = {"X-Beaver-Session": "s-1", "x-stainless-retry-count": "0"}
    body = {"messages": [{"role": "user", "content": "Hello"}]}
    for _ in range(2):
        assert (await one.client.post("/v1/chat/completions", json=body, headers=headers)).status_code == 200
    assert len(await visible(one, "s-1")) == 4


async def test_interrupt_stops_the_run_of_the_other_server_and_takes_over(servers: Servers) -> None:
    one, two = await servers.start(NEVER, ANSWER, busyPolicy="interrupt")
    first = await begin(one)
    await until(one, first, "running")
    second = await begin(one, "Instead?")
    await until(two, second, "completed")
    assert await status_of(two, first) == "cancelled"


async def test_reject_refuses_a_second_run(servers: Servers) -> None:
    one, two = await servers.start(NEVER, busyPolicy="reject")
    await until(one, await begin(one), "running")
    second = await begin(two, "And?")
    await until(one, second, "failed")
    assert (await one.client.get(f"/v1/runs/{second}")).json()["error"] == "conflict"


async def test_a_disconnect_ends_a_run_where_it_is_told_to(servers: Servers) -> None:
    one, _ = await servers.start(NEVER, onDisconnect="cancel")
    body = {"messages": [{"role": "user", "content": "Hello"}]}
    with pytest.raises(httpx.ReadTimeout):
        await one.client.post("/v1/chat/completions", json=body, headers={"X-Beaver-Session": "s-1"}, timeout=0.5)

    async def cancelled() -> bool:
        async with one.engine.database.read() as tx:
            return [run.status for run in await one.engine.sessions.list_runs(tx, "s-1")] == ["cancelled"]

    await wait_until(cancelled, what="the end of the run")


async def test_a_deleted_session_is_gone_with_its_run(servers: Servers) -> None:
    one, two = await servers.start(NEVER)
    run_id = await begin(one)
    await until(one, run_id, "running")
    assert (await two.client.delete("/v1/sessions/s-1")).status_code == 204
    assert (await two.client.get("/v1/sessions/s-1")).status_code == 404
    assert (await two.client.get(f"/v1/runs/{run_id}")).status_code == 404

    async def stopped() -> bool:
        return one.runs.find(run_id) is None

    await wait_until(stopped, what="the end of the run")
    assert (await one.client.get("/v1/sessions/s-1")).status_code == 404


async def test_a_session_is_made_forked_and_refused_twice(servers: Servers) -> None:
    one, two = await servers.start(ANSWER)
    made = await one.client.post("/v1/sessions", json={"id": "s-9", "title": "Beavers"})
    assert (made.status_code, made.json()["title"]) == (201, "Beavers")
    assert (await two.client.post("/v1/sessions", json={"id": "s-9"})).status_code == 409
    await until(one, await begin(one, session="s-9"), "completed")
    fork = (await two.client.post("/v1/sessions/s-9/fork", json={})).json()
    assert fork["parent_id"] == "s-9"
    assert await visible(one, fork["id"]) == await visible(one, "s-9")


@pytest.mark.parametrize("path", ["/v1/runs/nope", "/v1/runs/nope/events"])
async def test_a_run_that_does_not_exist_is_a_404(servers: Servers, path: str) -> None:
    one, _ = await servers.start(ANSWER)
    assert (await one.client.get(path)).status_code == 404
    assert (await one.client.post("/v1/runs/nope/stop")).status_code == 404
