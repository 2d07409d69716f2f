"""Runs by themselves, at any of two servers over one database: SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio

import pytest

from beaver.sessions.run_events import RunEventStore
from tests.contract.chat_server.scene import ANSWER, NEVER, SLOW, visible
from tests.contract.chat_server.two_servers import Servers, begin, status_of, stream, until, words
from tests.support.waiting import wait_until


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


async def test_a_run_that_waits_for_its_session_does_not_bring_it_back_when_it_is_deleted(servers: Servers) -> None:
    one, two = await servers.start(NEVER, ANSWER)
    first = await begin(one)
    await until(one, first, "running")
    second = await begin(one, "A secret?")

    assert (await two.client.delete("/v1/sessions/s-1")).status_code == 204

    async def ended() -> bool:
        return not {first, second} & set(one.runs.known_ids()) and one.runs.under_way == 0

    await wait_until(ended, what="the end of both runs")
    assert (await two.client.get("/v1/sessions/s-1")).status_code == 404
    assert (await two.client.get(f"/v1/runs/{second}")).status_code == 404


async def test_a_session_is_made_forked_and_refused_twice(servers: Servers) -> None:
    one, two = await servers.start(ANSWER)
    made = await one.client.post("/v1/sessions", json={"id": "s-9", "title": "Beavers"})
    assert (made.status_code, made.json()["title"]) == (201, "Beavers")
    assert (await two.client.post("/v1/sessions", json={"id": "s-9"})).status_code == 409
    await until(one, await begin(one, session="s-9"), "completed")
    fork = (await two.client.post("/v1/sessions/s-9/fork", json={})).json()
    assert fork["parent_id"] == "s-9"
    assert await visible(one, fork["id"]) == await visible(one, "s-9")


async def test_a_session_without_a_title_is_told_by_its_first_words(servers: Servers) -> None:
    one, _ = await servers.start(ANSWER)
    made = await one.client.post("/v1/sessions", json={"id": "s-9"})
    assert (made.json()["title"], made.json()["preview"]) == (None, None)
    await until(one, await begin(one, "How do\nbeavers build?", session="s-9"), "completed")
    (listed,) = (await one.client.get("/v1/sessions")).json()["data"]
    assert (listed["title"], listed["preview"]) == (None, "How do beavers build?")
    assert (await one.client.get("/v1/sessions/s-9")).json() == listed


@pytest.mark.parametrize("path", ["/v1/runs/nope", "/v1/runs/nope/events"])
async def test_a_run_that_does_not_exist_is_a_404(servers: Servers, path: str) -> None:
    one, _ = await servers.start(ANSWER)
    assert (await one.client.get(path)).status_code == 404
    assert (await one.client.post("/v1/runs/nope/stop")).status_code == 404
