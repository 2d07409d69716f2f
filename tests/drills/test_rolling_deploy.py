"""A rolling deploy under load: workers of two releases side by side, jobs of three forms, and one worker that is killed.

Twice: from today's release to one to come, and from the one before to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from itertools import cycle
from typing import Any

import pytest
from arq.connections import ArqRedis

from beaver.client.jobs import arq_redis
from beaver.outbox.audit import WORKER_LOST
from beaver.outbox.heartbeats import HeartbeatStore
from beaver.outbox.inspection import TurnStory
from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from beaver.schemas.jobs import PERSIST_FUNCTION, PersistJob
from tests.drills import mortal_worker, newer_worker, older_worker
from tests.drills.newer_worker import newer_arguments
from tests.drills.scene import Scene
from tests.support.forking import Program
from tests.support.gateway_stub import delay
from tests.support.processes import InstanceProcess
from tests.support.waiting import wait_until

TURNS, BATCH, ON_THEIR_WAY_MAX = 200, 10, 30
SHARED_SESSIONS = 20
WORKERS, KILLED = 3, 1
TURNS_BETWEEN = 40
TODAY, NEWER, OLDEST = "today", "newer", "oldest"


@pytest.mark.parametrize("leaving", [mortal_worker.main, older_worker.main], ids=["today", "before"])
async def test_a_rolling_deploy_loses_nothing_doubles_nothing_and_drains_cleanly(
    postgres_scene: Scene, leaving: Program
) -> None:
    scene = postgres_scene
    # Long enough for a crowded machine: the drill is about deploys, and a Gateway that is late would be another one.
    scene.write(gateway={"timeoutSeconds": 5}, worker={"maxJobs": 8})
    for path in (ADD_PATH, FLUSH_PATH):
        scene.stub.always(path, delay(0.03))
    forms: dict[str, str] = {}
    with ExitStack() as afloat:
        old = [afloat.enter_context(scene.worker(f"old-{number}", program=leaving)) for number in range(WORKERS)]
        new = [scene.worker(f"new-{number}", program=newer_worker.main) for number in range(WORKERS)]
        for worker in old:
            await worker.logged("worker.ready")
        async with asyncio.TaskGroup() as tasks:
            feeding = tasks.create_task(feed(scene, forms))
            for number, (going, coming) in enumerate(zip(old, new, strict=True)):
                await scene.adds((number + 1) * TURNS_BETWEEN)
                assert not feeding.done()
                await leave(going, killed=number == KILLED)
                await afloat.enter_context(coming).logged("worker.ready")
                if number == 0:
                    await side_by_side(scene)
        await scene.all_end()
        if leaving is older_worker.main:
            older_worker.run_out(scene.valkey.client())
        assert (await scene.holds()).total() == TURNS
    told = {run_id: await scene.ledger.story(run_id) for run_id in forms}
    only_the_killed_left_unknowns(told, old[KILLED].pid)
    releases = {worker.pid: TODAY for worker in old} | {worker.pid: NEWER for worker in new}
    each_release_took_up_the_others_rings(told, forms, releases)


async def feed(scene: Scene, forms: dict[str, str]) -> None:
    """A steady stream, each ring in another form; `forms` says which one a turn got.

    Every other turn is its session's only one, the rest share a few sessions.
    """
    client = arq_redis(scene.valkey.url, socket_timeout_s=1)
    turns = cycle((TODAY, NEWER, OLDEST))
    for begin in range(0, TURNS, BATCH):
        await wait_until(lambda: room(scene), within_s=60, what="an end of what is on its way")
        numbers = range(begin, begin + BATCH)
        sessions = [f"own-{n}" if n % 2 else f"shared-{n // 2 % SHARED_SESSIONS}" for n in numbers]
        for run_id in await scene.complete(*sessions):
            forms[run_id] = next(turns)
            await ring(client, forms[run_id], PersistJob(run_id=run_id, generation=0))
    await client.aclose(close_connection_pool=True)


async def room(scene: Scene) -> bool:
    return await scene.unfinished() < ON_THEIR_WAY_MAX


async def ring(client: ArqRedis, form: str, job: PersistJob) -> None:
    """As a chat server of that release does; the oldest said no more than a run and a generation."""
    said: Sequence[Any] = (job.model_dump(include={"run_id", "generation"} if form == OLDEST else None),)
    beside: Mapping[str, Any] = {}
    if form == NEWER:
        said, beside = newer_arguments(job.model_dump())
    assert await client.enqueue_job(PERSIST_FUNCTION, *said, _job_id=job.job_id, **beside)


async def leave(worker: InstanceProcess, *, killed: bool) -> None:
    """Its end, with turns in its hands."""
    if killed:
        await asyncio.to_thread(worker.kill)
    else:
        worker.terminate()
        assert await worker.ended() == 0, worker.log.read_text()[-3000:]


async def side_by_side(scene: Scene) -> None:
    """Wait until workers of both releases say that they live."""

    async def both() -> bool:
        async with scene.ledger.database.read() as tx:
            living = await HeartbeatStore(scene.ledger.database.dialect).live_workers(tx)
        return {worker.version for worker in living} == {version("beaver-agent"), newer_worker.RELEASE}

    await wait_until(both, what="workers of both releases")


def only_the_killed_left_unknowns(told: Mapping[str, TurnStory], killed: int) -> None:
    for run_id, story in told.items():
        if story.summary.state is not State.FLUSHED:
            assert (story.summary.error_category, sender(story)) == (WORKER_LOST, killed), run_id


def each_release_took_up_the_others_rings(
    told: Mapping[str, TurnStory], forms: Mapping[str, str], releases: Mapping[int, str]
) -> None:
    """Only turns that were never rung for again count: the chat server's own ring brought those."""
    met = {(forms[run_id], releases[sender(story)]) for run_id, story in told.items() if story.summary.generation == 0}
    assert met == {(form, release) for form in (TODAY, NEWER, OLDEST) for release in (TODAY, NEWER)}


def sender(story: TurnStory) -> int:
    """The process that last committed itself to the add; workers' names are host:pid:random."""
    names = [entry.actor for entry in story.timeline if entry.to_state is State.ADDING]
    return int(names[-1].split(":")[1])
