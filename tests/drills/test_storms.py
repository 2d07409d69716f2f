"""Hundreds of turns through a fleet whose workers and queue server die at random moments."""

from __future__ import annotations

import secrets
from random import Random

import pytest

from beaver.outbox.audit import WORKER_LOST
from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from tests.drills.scene import Scene
from tests.drills.storm import Storm, unsteady

JOBS_MAX = 10
"""At once in a worker's hands, and so the most that one death can leave unknown."""


async def test_two_workers_in_a_storm_lose_nothing_add_nothing_twice_and_hide_nothing(quick_scene: Scene) -> None:
    await weathers(Storm(quick_scene, secrets.randbelow(1_000_000), turns=500, sessions=40, workers=2))


async def test_five_workers_in_a_storm_lose_nothing_add_nothing_twice_and_hide_nothing(postgres_scene: Scene) -> None:
    await weathers(Storm(postgres_scene, secrets.randbelow(1_000_000), turns=200, sessions=40, workers=5))


@pytest.mark.soak
@pytest.mark.timeout(7200)
async def test_a_storm_of_ten_thousand_turns(scene: Scene) -> None:
    await weathers(Storm(scene, secrets.randbelow(1_000_000), 10_000, 400, 5, finish_within_s=3600))


async def weathers(storm: Storm) -> None:
    """Let it rage; a failure names the seed."""
    storm.scene.write(gateway={"timeoutSeconds": 2}, worker={"maxJobs": JOBS_MAX})
    gateway = unsteady(Random(storm.seed), faults=0.03)
    for path in (ADD_PATH, FLUSH_PATH):
        storm.scene.stub.always(path, gateway)
    try:
        await storm.rage()
        assert storm.ends.total() == storm.turns
        assert storm.ends[State.FLUSHED, None] > storm.turns / 2
        assert storm.ends[State.ADD_UNKNOWN, WORKER_LOST] <= storm.kills * JOBS_MAX
    finally:
        print(storm.report())
