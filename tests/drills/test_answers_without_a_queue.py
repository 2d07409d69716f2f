"""A chat server whose queue fails answers all the same, within the enqueue budget, and its turns go their way later."""

from __future__ import annotations

import json
import time

import pytest

from beaver.config.paths import InstancePaths
from beaver.outbox.states import State
from tests.drills.queue_faults import FAULTS, Fault, mend
from tests.drills.scene import CANARY, Scene
from tests.support.chat_server import running_chat_server
from tests.support.engine import says
from tests.support.waiting import wait_until

# The budget is 300 ms; the rest is the answer itself, on a machine that does other things.
ANSWER_S_MAX = 2.5


@pytest.mark.parametrize("fault", FAULTS)
async def test_the_answer_comes_within_the_budget_and_the_turn_waits_until_the_queue_is_well(
    quick_scene: Scene, fault: Fault
) -> None:
    scene = quick_scene
    config = json.loads(InstancePaths.at(scene.root).config.read_text())
    async with running_chat_server(scene.root, [says(f"{CANARY} says so")], config=config) as chat:
        assert (await chat.say(f"{CANARY} asks first", "s1")).status_code == 200
        fault(scene.valkey)
        for number, prompt in enumerate((f"{CANARY} asks", f"{CANARY} asks again"), start=2):
            started = time.monotonic()
            answered = await chat.say(prompt, "s1")
            took_s = time.monotonic() - started
            assert (answered.status_code, took_s < ANSWER_S_MAX) == (200, True), took_s
            await committed(scene, number)
        mend(scene.valkey, fault)
        assert set((await scene.ledger.states()).values()) == {State.PENDING}
    with scene.worker():
        assert await scene.holds() == {(State.FLUSHED, None): 3}
    assert scene.calls() == (3, 3)


async def committed(scene: Scene, turns: int) -> None:
    """Wait until so many turns stand in the ledger: the answer's last byte leaves before its request has ended."""

    async def stand() -> bool:
        return len(await scene.ledger.states()) == turns

    await wait_until(stand, what=f"{turns} turns in the ledger")
