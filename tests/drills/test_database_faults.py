"""The ledger's database is locked, cut off or full: what cannot be recorded is never sent again, and nothing is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import event

from beaver.errors import Unavailable
from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH
from beaver.schemas.jobs import PersistJob
from tests.drills.scene import Scene
from tests.support.gateway_stub import delay
from tests.support.postgres import PostgresServer


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold SQLite's write lock, as another process would."""
    connection = sqlite3.connect(root / "sessions.db", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.rollback()
        connection.close()


async def test_a_database_locked_at_the_claim_postpones_the_turn(quick_scene: Scene) -> None:
    scene = quick_scene
    (run_id,) = await scene.complete("s1")
    with scene.worker("worker", "--impatient") as worker:
        await worker.logged("worker.ready")
        with locked(scene.root):
            await scene.ring(run_id)
            await worker.logged("persist.postponed", run_id=run_id)
        assert set(await scene.holds()) == {(State.FLUSHED, None)}
    assert scene.calls() == (1, 1)


async def test_an_answer_that_cannot_be_recorded_is_an_unknown_and_never_sent_again(quick_scene: Scene) -> None:
    scene = quick_scene
    scene.write(gateway={"timeoutSeconds": 1})
    scene.stub.script(ADD_PATH, delay(0.5))
    run_id, later = await scene.complete("s1", "s1")
    with scene.worker("worker", "--impatient") as worker:
        await scene.ring(run_id)
        await scene.adds(1)
        with locked(scene.root):
            await worker.logged("persist.postponed", run_id=run_id)
        await scene.holds()
    assert await scene.ledger.state(run_id) is State.ADD_UNKNOWN
    assert await scene.ledger.state(later) is State.FLUSHED
    assert scene.calls() == (2, 1)


async def test_a_disk_that_is_full_loses_nothing_and_sends_nothing_twice(quick_scene: Scene) -> None:
    scene = quick_scene
    run_ids = await scene.complete(*(f"s{number % 5}" for number in range(40)))
    refused = 0
    async with scene.parts() as parts:

        @event.listens_for(parts.database.engine.sync_engine, "connect")
        def _(connection: Any, _record: Any) -> None:
            connection.execute("PRAGMA max_page_count=1").close()

        for run_id in run_ids:
            try:
                await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
            except Unavailable:
                refused += 1
            if refused == 2:
                break
    assert refused == 2
    await scene.run_out()
    with scene.worker():
        await scene.holds()


async def test_connections_that_the_database_ends_mid_transition_lose_nothing(
    postgres_scene: Scene, postgres_server: PostgresServer
) -> None:
    scene = postgres_scene
    scene.write(gateway={"timeoutSeconds": 1})
    scene.stub.always(ADD_PATH, delay(0.02))
    run_ids = await scene.complete(*(f"s{number % 10}" for number in range(60)))
    name = scene.database_url.split("@/", 1)[1].split("?", 1)[0]
    with scene.worker("left"), scene.worker("right"):
        await scene.ring(*run_ids)
        for count in range(3, 40, 4):
            await scene.adds(count)
            await postgres_server.end_connections(name)
        ends = await scene.holds()
    assert ends.total() == 60
