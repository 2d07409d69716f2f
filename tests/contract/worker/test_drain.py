"""SIGTERM: what is in flight is finished, the rest is left to others, unsent."""

from __future__ import annotations

import asyncio

from beaver.config.loader import load_settings
from beaver.config.memory import gateway_of
from beaver.config.paths import InstancePaths
from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH
from beaver.schemas.jobs import QUEUE_NAME, PersistJob
from tests.contract.worker.scene import Scene
from tests.support.gateway_stub import hang
from tests.support.processes import InstanceProcess
from worker.supervisor import serve


async def test_sigterm_finishes_what_is_in_flight_and_leaves_the_rest_unsent_for_another_worker(scene: Scene) -> None:
    scene.write(worker={"maxJobs": 3})
    scene.stub.always(ADD_PATH, hang())
    runs = [await scene.turn(f"s{number}") for number in range(9)]
    for run_id in runs:
        await scene.ring(run_id)
    with InstanceProcess(scene.root, "leaving") as leaving:
        await scene.adds(3)
        leaving.terminate()
        await leaving.logged("worker.draining")
        scene.stub.release()
        assert await leaving.ended() == 0
    states = list((await scene.ledger.states()).values())
    assert (states.count(State.FLUSHED), states.count(State.PENDING)) == (3, 6)
    with InstanceProcess(scene.root, "next"):
        await scene.all_end()
    assert set((await scene.ledger.states()).values()) == {State.FLUSHED}
    assert len(scene.stub.seen(ADD_PATH)) == 9


async def test_a_worker_stops_at_whatever_moment_it_is_told_to(quick_scene: Scene) -> None:
    settings = load_settings(InstancePaths.at(quick_scene.root), {})
    gateway = gateway_of(settings.memory)
    assert gateway is not None

    async def live(for_s: float) -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(for_s, stop.set)
        async with quick_scene.parts(draining=stop.is_set) as parts:
            await serve(settings, gateway, parts, stop)

    await asyncio.wait_for(asyncio.gather(*(live(number * 0.007) for number in range(60))), 30)


async def test_what_the_drain_has_no_time_for_is_said_to_be_unknown(quick_scene: Scene) -> None:
    scene = quick_scene
    scene.write(worker={"drainSeconds": 0.5})
    scene.stub.always(ADD_PATH, hang())
    run_id = await scene.turn()
    await scene.ring(run_id)
    with InstanceProcess(scene.root) as worker:
        await scene.adds(1)
        worker.terminate()
        assert await worker.ended() == 0
    assert await scene.ledger.state(run_id) is State.ADD_UNKNOWN
    assert [payload["category"] for _, payload in await scene.ledger.audit()] == ["interrupted"]


async def test_a_draining_worker_passes_its_ring_on_without_claiming(quick_scene: Scene) -> None:
    run_id = await quick_scene.turn()
    async with quick_scene.parts(draining=lambda: True) as parts:
        await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    assert await quick_scene.ledger.path(run_id) == [State.PENDING]
    assert quick_scene.valkey.client().zrange(QUEUE_NAME, 0, -1) == [f"persist:{run_id}:1".encode()]
