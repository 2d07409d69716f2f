"""Heartbeats on both databases: by the database's clock, one row a worker, and no word from the dead."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import update

from beaver.db.engine import Database
from beaver.db.tables import worker_heartbeats
from beaver.outbox.heartbeats import FRESH_MS, KEPT_MS, Heartbeat, HeartbeatStore, SeenWorker

BEAT = Heartbeat("host:7:ab", "host", 7, "0.1.0", in_flight=2, draining=False)


@pytest.fixture
def store(database: Database) -> HeartbeatStore:
    return HeartbeatStore(database.dialect)


async def beat(database: Database, store: HeartbeatStore, said: Heartbeat) -> None:
    async with database.write() as tx:
        await store.beat(tx, said)


async def seen(database: Database, store: HeartbeatStore) -> list[SeenWorker]:
    async with database.read() as tx:
        return await store.list_workers(tx)


async def grow_older(database: Database, by_ms: int) -> None:
    async with database.write() as tx:
        older = {name: worker_heartbeats.c[name] - by_ms for name in ("started_ms", "seen_ms")}
        await tx.execute(update(worker_heartbeats).values(**older))


async def test_a_beat_says_what_the_worker_is_and_does(database: Database, store: HeartbeatStore) -> None:
    await beat(database, store, BEAT)

    (worker,) = await seen(database, store)
    assert {name: getattr(worker, name) for name in vars(BEAT)} == vars(BEAT)
    assert worker.started_ms <= worker.seen_ms
    assert worker.alive


async def test_a_later_beat_keeps_the_start_and_renews_the_rest(database: Database, store: HeartbeatStore) -> None:
    await beat(database, store, BEAT)
    await grow_older(database, 60_000)
    (before,) = await seen(database, store)
    assert not before.alive

    await beat(database, store, replace(BEAT, in_flight=0, draining=True))

    (after,) = await seen(database, store)
    assert after.started_ms == before.started_ms
    assert after.seen_ms >= before.seen_ms + 60_000
    assert (after.in_flight, after.draining, after.alive) == (0, True, True)


async def test_a_worker_not_seen_for_three_beats_is_not_alive_and_still_listed(
    database: Database, store: HeartbeatStore
) -> None:
    await beat(database, store, BEAT)
    await grow_older(database, FRESH_MS + 1)
    await beat(database, store, replace(BEAT, worker_id="host:8:cd"))

    async with database.read() as tx:
        living = await store.live_workers(tx)
    assert [worker.worker_id for worker in living] == ["host:8:cd"]
    assert [worker.worker_id for worker in await seen(database, store)] == ["host:7:ab", "host:8:cd"]


async def test_a_worker_that_ends_takes_its_row_and_no_others(database: Database, store: HeartbeatStore) -> None:
    await beat(database, store, BEAT)
    await beat(database, store, replace(BEAT, worker_id="host:8:cd"))

    async with database.write() as tx:
        await store.forget(tx, BEAT.worker_id)

    assert [worker.worker_id for worker in await seen(database, store)] == ["host:8:cd"]


async def test_rows_of_the_lost_are_kept_for_a_day(database: Database, store: HeartbeatStore) -> None:
    await beat(database, store, BEAT)
    await grow_older(database, KEPT_MS + 1)
    await beat(database, store, replace(BEAT, worker_id="host:8:cd"))
    await grow_older(database, 60_000)

    async with database.write() as tx:
        await store.forget_lost(tx)

    assert [worker.worker_id for worker in await seen(database, store)] == ["host:8:cd"]
