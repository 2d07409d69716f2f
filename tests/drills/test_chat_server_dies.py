"""`kill -9` of the chat server after the answer's commit and before its ring: the turn waits in the ledger, and goes its way."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from contextlib import suppress

import httpx

from beaver.outbox.states import State
from tests.drills.scene import CANARY, Scene
from tests.support.http import loopback_client
from tests.support.ports import free_ports
from tests.support.waiting import wait_until


async def test_a_turn_that_nobody_rang_for_still_reaches_the_gateway(scene: Scene) -> None:
    (port,) = free_ports(1)
    scene.write(server={"port": port})
    command = (sys.executable, "-m", "tests.drills.mortal_chat", str(scene.root))
    with (scene.root / "chat.log").open("wb") as log:
        chat = await asyncio.create_subprocess_exec(*command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        await ask(chat, f"http://127.0.0.1:{port}/v1/chat/completions")
    finally:
        if chat.returncode is None:
            chat.kill()
    (run_id,) = await scene.ledger.states()
    assert await scene.ledger.path(run_id) == [State.PENDING]
    with scene.worker():
        assert await scene.holds() == {(State.FLUSHED, None): 1}
    assert scene.calls() == (1, 1)


async def ask(chat: asyncio.subprocess.Process, url: str) -> None:
    """One prompt; the server dies over it."""
    body = {"messages": [{"role": "user", "content": f"{CANARY}: where is the tea?"}]}
    async with loopback_client() as client:

        async def dead() -> bool:
            if chat.returncode is None:
                with suppress(httpx.TransportError):
                    await client.post(url, json=body)
            return chat.returncode is not None

        await wait_until(dead, within_s=60, what="the death of the chat server")
    assert chat.returncode == -signal.SIGKILL
