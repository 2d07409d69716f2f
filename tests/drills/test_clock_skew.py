"""Hosts whose clocks stand ten seconds apart: claims, order and rings go by the database's clock, and no turn waits for it."""

from __future__ import annotations

import time

import arq.utils
import pytest

from beaver.clock import system_clock
from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH
from tests.drills import skewed_worker
from tests.drills.scene import Scene
from tests.drills.skewed_worker import skewed
from tests.support.gateway_stub import delay
from tests.support.processes import InstanceProcess

AHEAD_S, BEHIND_S = 5.0, -5.0
# A turn takes a fraction of a second; the rest is for a machine that does other things.
SOON_S = 3.5


def off(scene: Scene, name: str, seconds: float) -> InstanceProcess:
    """A worker whose clock is off by so much."""
    return scene.worker(name, "--skew-s", str(seconds), program=skewed_worker.main)


def test_the_clock_goes_wrong_for_us_and_for_arq_alike() -> None:
    right_ms = time.time_ns() // 1_000_000
    with skewed(AHEAD_S):
        for clock in (system_clock, arq.utils.timestamp_ms):
            assert 5_000 <= clock() - right_ms < 6_000
    assert system_clock() - right_ms < 1_000


async def test_workers_and_chat_servers_ten_seconds_apart_keep_order_and_ring_no_more_than_they_should(
    postgres_scene: Scene,
) -> None:
    scene = postgres_scene
    chats = (AHEAD_S, 0.0, BEHIND_S)
    with off(scene, "ahead", AHEAD_S) as ahead, off(scene, "behind", BEHIND_S) as behind:
        for worker in (ahead, behind):
            await worker.logged("worker.ready")
        run_ids: list[str] = []
        for number in range(12):
            with skewed(chats[number % 3]):
                completed = await scene.complete(*(f"s{session}" for session in range(5)))
                await scene.ring(*completed)
            run_ids += completed
        assert await scene.holds() == {(State.FLUSHED, None): 60}
    assert scene.calls() == (60, 60)
    for run_id in run_ids:
        # Rung for by the chat server and, behind an earlier turn, by whoever ended that one.
        assert await scene.ledger.generation(run_id) <= 1, run_id


async def test_a_claim_is_not_run_out_for_a_sweeper_whose_clock_is_ahead(postgres_scene: Scene) -> None:
    scene = postgres_scene
    # A claim lasts 8.5 s here, less than the clocks stand apart; each add outlasts several sweeps.
    scene.write(gateway={"timeoutSeconds": 3})
    scene.stub.always(ADD_PATH, delay(0.8))
    with off(scene, "behind", BEHIND_S) as behind:
        await behind.logged("worker.ready")
        with skewed(BEHIND_S * 2):
            run_ids = await scene.complete("s1", "s2", "s3")
            await scene.ring(*run_ids)
        await scene.adds(3)
        with off(scene, "ahead", AHEAD_S) as ahead:
            await ahead.logged("worker.ready")
            assert await scene.holds() == {(State.FLUSHED, None): 3}
    for run_id in run_ids:
        assert len({entry.actor for entry in (await scene.ledger.story(run_id)).timeline[1:]}) == 1


@pytest.mark.parametrize(("chat_s", "worker_s"), [(AHEAD_S, BEHIND_S), (BEHIND_S, AHEAD_S)])
async def test_no_turn_waits_for_a_clock(postgres_scene: Scene, chat_s: float, worker_s: float) -> None:
    scene = postgres_scene
    with off(scene, "off", worker_s) as worker:
        await worker.logged("worker.ready")
        with skewed(chat_s):
            (run_id,) = await scene.complete("s1")
            await scene.ring(run_id)
        rung = time.monotonic()
        await scene.reaches(run_id, State.FLUSHED)
        took_s = time.monotonic() - rung
        await scene.holds()
    assert took_s < SOON_S
