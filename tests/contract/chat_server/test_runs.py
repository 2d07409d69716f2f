"""Runs outlive connections, follow each other, are bounded, stopped and drained."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from beaver.embedded.probes import answers_http
from tests.contract.chat_server.scene import ANSWER, NEVER, SLOW, visible
from tests.support.chat_server import RunningChatServer, running_chat_server
from tests.support.http import loopback_client
from tests.support.ports import free_ports
from tests.support.waiting import wait_until


async def test_a_client_that_hangs_up_does_not_end_its_run(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [SLOW]) as server:
        await hang_up_after_the_first_words(server, "s-1")

        async def stored() -> bool:
            return ("assistant", "Beavers build dams.") in await visible(server, "s-1")

        await wait_until(stored, what="the stored answer")


async def test_a_run_can_be_stopped_and_its_session_goes_on(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [NEVER, ANSWER]) as server:
        run_id = await hang_up_after_the_first_words(server, "s-1")
        assert (await server.client.post(f"/v1/runs/{run_id}/stop")).status_code == 202

        async def gone() -> bool:
            return (await server.client.post(f"/v1/runs/{run_id}/stop")).status_code == 409

        await wait_until(gone, what="the end of the run")
        assert (await server.say("And now?", "s-1")).status_code == 200


async def test_two_messages_to_one_session_follow_each_other(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [SLOW]) as server:
        await asyncio.gather(server.say("One", "s-1"), server.say("Two", "s-1"))
        roles = [role for role, _ in await visible(server, "s-1")]
        assert roles == ["user", "assistant", "user", "assistant"]


async def test_the_bound_on_runs_is_a_429_that_says_when_to_come_again(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [NEVER], drain_s=0.1) as server:
        server.runs._runs_max = 1
        await hang_up_after_the_first_words(server, "s-1")
        refused = await server.say("Hello", "s-2")
        assert refused.status_code == 429
        assert refused.headers["Retry-After"]


async def test_a_drain_finishes_runs_and_refuses_new_ones(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [SLOW]) as server:
        await hang_up_after_the_first_words(server, "s-1")
        draining = asyncio.create_task(server.runs.drain())
        await asyncio.sleep(0)
        refused, ready = await server.say("Hello", "s-2"), await server.client.get("/ready")
        assert (refused.status_code, ready.status_code) == (503, 503)
        assert ready.json() == {"status": "draining"}
        await draining
        assert ("assistant", "Beavers build dams.") in await visible(server, "s-1")


async def test_a_drain_cuts_off_what_passes_its_bound(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [NEVER], drain_s=0.1) as server:
        await hang_up_after_the_first_words(server, "s-1")
        await asyncio.wait_for(server.runs.drain(), 15)
        runs = await runs_of(server, "s-1")
        assert [run.status for run in runs] == ["cancelled"]


async def runs_of(server: RunningChatServer, session: str) -> list[Any]:
    async with server.engine.database.read() as tx:
        return list(await server.engine.sessions.list_runs(tx, session))


async def hang_up_after_the_first_words(server: RunningChatServer, session: str) -> str:
    """Listen to the model's first words and go away; gives the run's id."""
    body = {"messages": [{"role": "user", "content": "Hello"}], "stream": True}
    headers = {"X-Beaver-Session": session}
    async with server.client.stream("POST", "/v1/chat/completions", json=body, headers=headers) as response:
        async for line in response.aiter_lines():
            # The role comes before the model is asked: a run stopped then would leave the script where it was.
            chunk = json.loads(line.removeprefix("data: ")) if line.startswith("data: {") else None
            if chunk and chunk["choices"][0]["delta"].get("content"):
                return str(chunk["id"])
    raise AssertionError("the model said nothing")


async def test_sigterm_finishes_the_stream_under_way_and_ends_the_process_well(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    home = tmp_path / ".beaver"
    home.mkdir()
    (tmp_path / "script.json").write_text(json.dumps([{"text": "one two three four five six", "delay_ms": 100}]))
    config = {
        "memory": {"mode": "curated"},
        "provider": {"kind": "scripted", "script": "script.json"},
        "server": {"port": port},
    }
    (home / "config.json").write_text(json.dumps(config))
    command = [sys.executable, "-m", "beaver", "serve", "--root", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:  # noqa: ASYNC220
        try:

            async def serves() -> bool:
                return await answers_http("127.0.0.1", port, "/ready")

            await wait_until(serves, within_s=60, what="the chat server")
            heard = await listen_and_end(port, process)
        finally:
            process.kill()
    assert "[DONE]" in heard
    assert process.returncode == 0


async def listen_and_end(port: int, process: subprocess.Popen[bytes]) -> str:
    """A stream to its end; SIGTERM reaches the server after its first piece."""
    heard = ""
    body = {"messages": [{"role": "user", "content": "Count"}], "stream": True}
    async with (
        loopback_client(f"http://127.0.0.1:{port}") as client,
        client.stream("POST", "/v1/chat/completions", json=body) as response,
    ):
        async for piece in response.aiter_text():
            if not heard:
                process.send_signal(signal.SIGTERM)
            heard += piece
    await asyncio.to_thread(process.wait, 30)
    return heard
