"""Workers and queue servers that die, freeze or forget cost no turn."""

from __future__ import annotations

from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from tests.contract.worker.scene import Scene
from tests.support.gateway_stub import hang
from tests.support.processes import InstanceProcess


async def test_a_queue_that_forgot_everything_changes_nothing(scene: Scene) -> None:
    runs = [await scene.turn(f"s{number}") for number in range(10)]
    for run_id in runs:
        await scene.ring(run_id)
    scene.valkey.empty()
    with InstanceProcess(scene.root):
        await scene.all_end()
    assert set((await scene.ledger.states()).values()) == {State.FLUSHED}
    assert len(scene.stub.seen(ADD_PATH)) == 10


async def test_a_worker_killed_while_the_gateway_holds_the_add_leaves_an_unknown_that_is_never_sent_again(
    scene: Scene,
) -> None:
    scene.stub.script(ADD_PATH, hang())
    run_id = await scene.turn()
    with InstanceProcess(scene.root, "first") as first:
        await scene.ring(run_id)
        await scene.adds(1)
        first.kill()
    assert await scene.ledger.state(run_id) is State.ADDING
    await scene.ledger.run_out(run_id)
    with InstanceProcess(scene.root, "second"):
        await scene.reaches(run_id, State.ADD_UNKNOWN)
        await scene.ring(run_id, generation=7)
        later = await scene.turn()
        await scene.ring(later)
        await scene.reaches(later, State.FLUSHED)
    assert len(scene.stub.seen(ADD_PATH)) == 2
    assert (await scene.ledger.audit())[0] == (
        "memory_gateway_add_failed",
        {"operation": "add", "category": "worker_lost", "outcome": "unknown"},
    )


async def test_a_worker_frozen_through_its_add_still_tells_the_truth_when_it_wakes(quick_scene: Scene) -> None:
    scene = quick_scene
    scene.write(gateway={"timeoutSeconds": 60})
    scene.stub.script(ADD_PATH, hang())
    run_id = await scene.turn()
    with InstanceProcess(scene.root, "slow") as slow:
        await scene.ring(run_id)
        await scene.adds(1)
        slow.freeze()
        await scene.ledger.run_out(run_id)
        with InstanceProcess(scene.root, "other"):
            await scene.reaches(run_id, State.ADD_UNKNOWN)
        scene.stub.release()
        slow.thaw()
        await scene.reaches(run_id, State.FLUSHED)
    assert (len(scene.stub.seen(ADD_PATH)), len(scene.stub.seen(FLUSH_PATH))) == (1, 1)


async def test_the_queue_server_may_die_under_a_busy_worker_and_come_back(quick_scene: Scene) -> None:
    scene = quick_scene
    scene.stub.script(ADD_PATH, hang())
    held = await scene.turn("held")
    await scene.ring(held)
    with InstanceProcess(scene.root) as worker:
        await scene.adds(1)
        scene.valkey.kill()
        try:
            scene.stub.release()
            await scene.reaches(held, State.FLUSHED)
            meanwhile = await scene.turn("meanwhile")
            await worker.logged("worker.waiting", part="queue")
        finally:
            scene.valkey.start()
        await scene.reaches(meanwhile, State.FLUSHED)
        assert worker.is_alive()
    assert len(scene.stub.seen(ADD_PATH)) == 2
