"""What a worker needs to start, what it waits for, and the command of arq itself."""

from __future__ import annotations

from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH
from tests.contract.worker.scene import Scene
from tests.support.gateway_stub import hang
from tests.support.processes import ARQ, InstanceProcess


async def test_a_worker_waits_for_a_queue_that_is_not_there_yet(quick_scene: Scene) -> None:
    scene = quick_scene
    run_id = await scene.turn()
    scene.valkey.kill()
    try:
        with InstanceProcess(scene.root) as worker:
            waiting = await worker.logged("worker.waiting", part="queue")
            assert waiting["reason"] == "connection refused: nothing listens there"
            scene.valkey.start()
            await scene.reaches(run_id, State.FLUSHED)
    finally:
        if not scene.valkey._process:
            scene.valkey.start()


async def test_a_worker_that_waits_can_be_told_to_stop(quick_scene: Scene) -> None:
    quick_scene.write(redis_url="unix:///nowhere/valkey.sock", database_url="postgresql://nobody@127.0.0.1:9/none")
    with InstanceProcess(quick_scene.root) as worker:
        await worker.logged("worker.waiting", part="session database")
        worker.terminate()
        assert await worker.ended() == 0


async def test_a_plan_without_a_gateway_idles_and_says_so(quick_scene: Scene) -> None:
    quick_scene.write(gateway_url=None)
    with InstanceProcess(quick_scene.root) as worker:
        await worker.logged("worker.idle")
        worker.terminate()
        assert await worker.ended() == 0


async def test_a_configuration_that_breaks_a_rule_ends_the_worker_with_its_own_code(quick_scene: Scene) -> None:
    quick_scene.write(gateway={"topK": 1000})
    with InstanceProcess(quick_scene.root) as worker:
        assert await worker.ended() == 78
        assert "memory.gateway.topK" in worker.log.read_text()


async def test_the_command_of_arq_itself_serves_and_drains_too(quick_scene: Scene) -> None:
    scene = quick_scene
    run_id = await scene.turn()
    await scene.ring(run_id)
    with InstanceProcess(scene.root, how=ARQ) as worker:
        await scene.reaches(run_id, State.FLUSHED)
        scene.stub.always(ADD_PATH, hang())
        last = await scene.turn()
        await scene.ring(last)
        await scene.adds(2)
        worker.terminate()
        scene.stub.release()
        await worker.ended()
    assert await scene.ledger.state(last) is State.FLUSHED
    assert "Canary" not in worker.log.read_text()
