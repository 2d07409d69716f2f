"""Turns of one session go one after the other, sessions side by side."""

from __future__ import annotations

from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH
from tests.contract.worker.scene import Scene
from tests.support.gateway_stub import hang, status
from tests.support.processes import InstanceProcess


async def test_turns_of_one_session_arrive_in_order_and_sessions_do_not_wait_for_each_other(scene: Scene) -> None:
    scene.stub.script(ADD_PATH, hang())
    stuck = await scene.turn("stuck", prompt="stuck 0")
    with InstanceProcess(scene.root):
        await scene.ring(stuck)
        # Before there is any other: whichever add comes first is the one that hangs, and a worker's start rings for all.
        await scene.adds(1)
        runs = [await scene.turn(f"s{number % 3}", prompt=f"turn {number}") for number in range(12)]
        behind = await scene.turn("stuck", prompt="stuck 1")
        for run_id in [behind, *reversed(runs)]:
            await scene.ring(run_id)
        for run_id in runs:
            await scene.reaches(run_id, State.FLUSHED)
        assert await scene.ledger.state(behind) is State.PENDING
        scene.stub.release()
        await scene.reaches(behind, State.FLUSHED)
    for session in ("chat:s0", "chat:s1", "chat:s2", "chat:stuck"):
        bodies = [body for body in scene.stub.bodies(ADD_PATH) if body["session_id"] == session]
        prompts = [int(body["messages"][0]["content"].split()[1]) for body in bodies]
        assert prompts == sorted(prompts)
    assert len(scene.stub.seen(ADD_PATH)) == len(runs) + 2


async def test_an_unknown_add_releases_the_next_turn_of_its_session(quick_scene: Scene) -> None:
    scene = quick_scene
    scene.stub.script(ADD_PATH, status(500))
    first, second = await scene.turn(), await scene.turn()
    with InstanceProcess(scene.root):
        await scene.ring(second)
        await scene.ring(first)
        await scene.reaches(second, State.FLUSHED)
    assert await scene.ledger.state(first) is State.ADD_UNKNOWN
