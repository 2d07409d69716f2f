"""`onDisconnect: cancel`: a run ends with the last connection to its server that listens to it, and not before."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from beaver.agent.messages import TextDelta
from beaver.agent.providers.scripted import Pause
from tests.contract.chat_server.scene import NEVER
from tests.contract.chat_server.two_servers import Servers, begin, status_of, stream, until
from tests.support.chat_server import RunningChatServer

# Long enough for a server to see that a listener is gone.
LONG = (TextDelta("Beavers "), Pause(1.5), TextDelta("build dams."))
CANCEL = {"onDisconnect": "cancel"}


@dataclass(frozen=True)
class Listener:
    """Somebody who has heard the first words of a run."""

    run_id: str
    first: str
    lines: AsyncIterator[str]

    async def all(self) -> str:
        """Them, and all that comes after them."""
        return "\n".join([self.first, *[line async for line in self.lines]])


@asynccontextmanager
async def listening(server: RunningChatServer) -> AsyncIterator[Listener]:
    """A stream of the one question; the block's end hangs up."""
    body = {"messages": [{"role": "user", "content": "Hello"}], "stream": True}
    headers = {"X-Beaver-Session": "s-1", "Idempotency-Key": "k-1"}
    async with server.client.stream("POST", "/v1/chat/completions", json=body, headers=headers) as response:
        lines = response.aiter_lines()
        async for line in lines:
            chunk = json.loads(line.removeprefix("data: ")) if line.startswith("data: {") else None
            if chunk and chunk["choices"][0]["delta"].get("content"):
                yield Listener(str(chunk["id"]), line, lines)
                return
    raise AssertionError("the model said nothing")


@asynccontextmanager
async def following(server: RunningChatServer, run_id: str) -> AsyncIterator[Listener]:
    """The run's own events; the block's end hangs up."""
    async with server.client.stream("GET", f"/v1/runs/{run_id}/events") as response:
        lines = response.aiter_lines()
        async for line in lines:
            if line == "event: run.text":
                yield Listener(run_id, line, lines)
                return
    raise AssertionError("the run told nothing")


async def test_the_only_listener_that_hangs_up_ends_the_run(servers: Servers) -> None:
    one, two = await servers.start(NEVER, **CANCEL)
    async with listening(one) as listener:
        assert await status_of(two, listener.run_id) == "running"
    await until(two, listener.run_id, "cancelled")


async def test_one_of_two_listeners_that_hangs_up_does_not(servers: Servers) -> None:
    one, _ = await servers.start(LONG, **CANCEL)
    async with AsyncExitStack() as second:
        async with listening(one) as first:
            stays = await second.enter_async_context(listening(one))
        assert stays.run_id == first.run_id
        assert "build dams." in await stays.all()


async def test_the_last_of_two_does(servers: Servers) -> None:
    one, two = await servers.start(NEVER, **CANCEL)
    async with listening(one) as first, listening(one):
        pass
    await until(two, first.run_id, "cancelled")


async def test_who_follows_the_runs_events_at_its_server_listens_too(servers: Servers) -> None:
    one, _ = await servers.start(LONG, **CANCEL)
    async with AsyncExitStack() as second:
        async with listening(one) as first:
            stays = await second.enter_async_context(following(one, first.run_id))
        assert '"status": "completed"' in await stays.all()


async def test_who_follows_at_another_server_does_not_keep_it_and_is_told_of_its_end(servers: Servers) -> None:
    one, two = await servers.start(NEVER, **CANCEL)
    async with AsyncExitStack() as second:
        async with listening(one) as first:
            stays = await second.enter_async_context(following(two, first.run_id))
        assert '"status": "cancelled"' in await stays.all()


async def test_a_run_that_was_begun_by_itself_goes_on_without_listeners(servers: Servers) -> None:
    one, two = await servers.start(LONG, **CANCEL)
    run_id = await begin(one)
    async with following(one, run_id):
        pass
    assert (await stream(two, run_id))[-1].data["status"] == "completed"


async def test_a_retry_of_openais_client_begins_anew_after_its_first_try_was_cancelled(servers: Servers) -> None:
    one, two = await servers.start(NEVER, **CANCEL)
    body = {"messages": [{"role": "user", "content": "Hello"}], "stream": True}

    async def tried(server: RunningChatServer, count: int) -> str:
        headers = {"X-Beaver-Session": "s-1", "x-stainless-retry-count": str(count)}
        async with server.client.stream("POST", "/v1/chat/completions", json=body, headers=headers) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {"):
                    return str(json.loads(line.removeprefix("data: "))["id"])
        raise AssertionError("nothing came")

    first = await tried(one, 0)
    await until(two, first, "cancelled")
    assert await tried(two, 1) != first
