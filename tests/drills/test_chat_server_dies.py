"""`kill -9` of the chat server after the answer's commit and before its ring: the turn waits in the ledger, and goes its way."""

from __future__ import annotations

from contextlib import suppress

import httpx

from beaver.outbox.states import State
from tests.drills import mortal_chat
from tests.drills.scene import CANARY, Scene
from tests.support.http import loopback_client
from tests.support.ports import free_ports
from tests.support.processes import InstanceProcess
from tests.support.waiting import wait_until


async def test_a_turn_that_nobody_rang_for_still_reaches_the_gateway(scene: Scene) -> None:
    (port,) = free_ports(1)
    scene.write(server={"port": port})
    with scene.worker("chat", program=mortal_chat.main) as chat:
        await ask(chat, f"http://127.0.0.1:{port}/v1/chat/completions")
        await chat.died()
    (run_id,) = await scene.ledger.states()
    assert await scene.ledger.path(run_id) == [State.PENDING]
    with scene.worker():
        assert await scene.holds() == {(State.FLUSHED, None): 1}
    assert scene.calls() == (1, 1)


async def ask(chat: InstanceProcess, url: str) -> None:
    """One prompt; the server dies over it."""
    body = {"messages": [{"role": "user", "content": f"{CANARY}: where is the tea?"}]}
    async with loopback_client() as client:

        async def dead() -> bool:
            if chat.is_alive():
                with suppress(httpx.TransportError):
                    await client.post(url, json=body)
            return not chat.is_alive()

        await wait_until(dead, within_s=60, what="the death of the chat server")
