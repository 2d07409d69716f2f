"""`kill -9` of a chat server over a request with an `Idempotency-Key`; the client asks again, and gets one turn."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import httpx

from tests.drills.chat_servers import BRIEF_LEASES, MORTAL, ChatProcess, chat_server
from tests.drills.scene import Scene

ANSWER = {"text": "Beavers build dams of wood and mud.", "delay_ms": 60}
ANOTHER = {"text": "Something else."}
TURN = [("user", "What do beavers do?"), ("assistant", "Beavers build dams of wood and mud.")]


async def test_an_answer_committed_before_its_last_chunk_is_told_to_who_asks_again(scene: Scene) -> None:
    async with chat_server(scene, "one", ANSWER, MORTAL, "--point", "ring") as server:
        heard = await ask(server)
        await server.died()
    assert "[DONE]" not in heard
    async with chat_server(scene, "one", ANOTHER, BRIEF_LEASES) as server:
        again = await ask(server)
        assert said(again) == "Beavers build dams of wood and mud."
        assert "[DONE]" in again
        assert run_of(again) == run_of(heard)
        assert await server.visible("s-1") == TURN
    assert set(await scene.ledger.states()) == {run_of(heard)}


async def test_a_request_whose_server_died_before_recording_its_run_is_taken_over_elsewhere(scene: Scene) -> None:
    async with (
        chat_server(scene, "one", ANOTHER, MORTAL, "--point", "record") as dying,
        chat_server(scene, "two", ANSWER, BRIEF_LEASES) as other,
    ):
        assert await ask(dying) == ""
        await dying.died()
        assert said(await ask(other)) == "Beavers build dams of wood and mud."
        assert await other.visible("s-1") == TURN
    assert len(await scene.ledger.states()) == 1


async def test_the_same_server_takes_it_over_after_its_restart(quick_scene: Scene) -> None:
    async with chat_server(quick_scene, "one", ANOTHER, MORTAL, "--point", "record") as server:
        assert await ask(server) == ""
        await server.died()
    async with chat_server(quick_scene, "one", ANSWER, BRIEF_LEASES) as server:
        assert said(await ask(server)) == "Beavers build dams of wood and mud."
        assert await server.visible("s-1") == TURN


async def ask(server: ChatProcess) -> str:
    """The stream of one question, as far as it comes."""
    body = {"messages": [{"role": "user", "content": "What do beavers do?"}], "stream": True}
    headers = {"Idempotency-Key": "k-1", "X-Beaver-Session": "s-1"}
    heard = ""
    with suppress(httpx.TransportError):
        async with server.client.stream("POST", "/v1/chat/completions", json=body, headers=headers) as response:
            async for piece in response.aiter_text():
                heard += piece
    return heard


def chunks(heard: str) -> list[dict[str, Any]]:
    whole = [line.removeprefix("data: ") for line in heard.splitlines() if line.startswith("data: {")]
    return [json.loads(line) for line in whole if line.endswith("}")]


def run_of(heard: str) -> str:
    (run_id,) = {chunk["id"] for chunk in chunks(heard)}
    return str(run_id)


def said(heard: str) -> str:
    deltas = [choice["delta"] for chunk in chunks(heard) for choice in chunk["choices"]]
    return "".join(delta.get("content", "") for delta in deltas)
