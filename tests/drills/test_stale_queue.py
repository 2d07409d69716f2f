"""A queue server comes back with old data (a backup, a replica that lagged): its jobs are delivered again and do nothing."""

from __future__ import annotations

from pathlib import Path

from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH
from tests.drills.scene import Scene
from tests.support.gateway_stub import Behaviour, Exchange, hang, ok
from tests.support.ledger_checks import left_in_queue


async def test_jobs_that_come_back_with_old_data_after_their_turns_ended_do_nothing(quick_scene: Scene) -> None:
    scene = quick_scene
    scene.write(gateway={"timeoutSeconds": 3})
    scene.stub.always(ADD_PATH, silent_in("s0"))
    ended = await scene.complete(*(f"s{number}" for number in range(12)))
    await scene.ring(*ended)
    old = scene.valkey.copy_files()
    with scene.worker() as worker:
        assert await scene.holds() == {(State.FLUSHED, None): 11, (State.ADD_UNKNOWN, "timeout"): 1}
        told = [await scene.ledger.story(run_id) for run_id in ended]
        # Still, so that it takes up nothing before the old jobs have been counted. It has nothing open in the database.
        worker.freeze()
        await worker.stopped()
        (forgotten,) = await scene.complete("s1")
        await scene.ring(forgotten)
        go_back_to_old_data(scene, old, ended)
        worker.thaw()
        assert (await scene.holds())[State.FLUSHED, None] == 12
        assert worker.is_alive()
    assert [await scene.ledger.story(run_id) for run_id in ended] == told
    assert await scene.ledger.state(forgotten) is State.FLUSHED
    assert scene.calls() == (13, 12)


def silent_in(session_id: str) -> Behaviour:
    """Never answers the adds of one session."""

    async def answer(exchange: Exchange) -> None:
        await (hang() if exchange.request.body["session_id"] == f"chat:{session_id}" else ok())(exchange)

    return answer


def go_back_to_old_data(scene: Scene, old: Path, ended: list[str]) -> None:
    """Kill the queue server and start it from a copy that was made while those turns waited; nobody else's job is in it."""
    scene.valkey.kill()
    scene.valkey.return_to(old)
    scene.valkey.start()
    jobs = {f"arq:job:persist:{run_id}:0".encode() for run_id in ended}
    assert jobs == {key for key in left_in_queue(scene.valkey) if key.startswith(b"arq:job:")}
