"""Leases on both databases: one run at a time in a session, a fence that only rises, nobody wedged by a crash."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import select

from beaver.db.engine import Database, Transaction
from beaver.db.tables import leases as leases_table
from beaver.errors import Conflict, Unavailable
from beaver.sessions.holding import held_lease
from beaver.sessions.leases import Lease, LeaseLost, LeaseStore
from beaver.sessions.records import MESSAGE, NewEvent, RunRecord
from beaver.sessions.store import SessionStore
from tests.support.waiting import wait_until

LONG_MS = 60_000
WORDS = NewEvent(MESSAGE, "words", "user")


@pytest.fixture
def store(database: Database) -> SessionStore:
    return SessionStore(database.dialect)


@pytest.fixture
def leases(database: Database) -> LeaseStore:
    return LeaseStore(database.dialect)


async def test_a_held_session_is_not_given_twice(database: Database, leases: LeaseStore) -> None:
    first = await _acquire(database, leases, "r1")

    assert first is not None
    assert await _acquire(database, leases, "r2") is None
    assert await _acquire(database, leases, "r1") is None


async def test_of_many_who_ask_at_once_one_gets_it(database: Database, leases: LeaseStore) -> None:
    got = await asyncio.gather(*(_acquire(database, leases, f"r{number}") for number in range(10)))

    assert len([lease for lease in got if lease]) == 1


async def test_a_released_session_can_be_had_with_a_higher_fence(database: Database, leases: LeaseStore) -> None:
    fences = []
    for number in range(3):
        lease = _given(await _acquire(database, leases, f"r{number}"))
        fences.append(lease.fence)
        async with database.write() as tx:
            await leases.release(tx, lease)

    assert fences == sorted(set(fences))


async def test_the_fence_rises_even_past_the_deletion_of_the_session(
    database: Database, leases: LeaseStore, store: SessionStore
) -> None:
    before = _given(await _acquire(database, leases, "r1"))
    async with database.write() as tx:
        await store.delete_session(tx, "s")
    await _clock_past(database, before.fence)

    after = _given(await _acquire(database, leases, "r2"))

    assert after.fence > before.fence
    with pytest.raises(LeaseLost):
        await _append(database, store, before.fence)


async def test_a_leaked_lease_does_not_wedge_the_session(database: Database, leases: LeaseStore) -> None:
    """Its holder died and renews no more."""
    leaked = _given(await _acquire(database, leases, "r1", ttl_ms=50))

    taken = await wait_until(lambda: _acquire(database, leases, "r2"), what="the expiry of the leaked lease")

    assert _given(taken).fence > leaked.fence


async def test_a_stalled_holder_writes_nothing_once_another_took_over(
    database: Database, leases: LeaseStore, store: SessionStore
) -> None:
    stalled = _given(await _acquire(database, leases, "r1", ttl_ms=1))
    await _append(database, store, stalled.fence)
    await wait_until(lambda: _acquire(database, leases, "r2"), what="the takeover")

    with pytest.raises(LeaseLost):
        await _append(database, store, stalled.fence)

    async with database.write() as tx:
        assert await leases.renew(tx, stalled, LONG_MS) is False
        await leases.release(tx, stalled)  # takes nothing from the new holder
    assert await _acquire(database, leases, "r3") is None
    async with database.read() as tx:
        assert len(await store.history(tx, "s")) == 1


async def test_a_slow_holder_goes_on_if_nobody_came(
    database: Database, leases: LeaseStore, store: SessionStore
) -> None:
    slow = _given(await _acquire(database, leases, "r1", ttl_ms=1))
    await wait_until(lambda: _is_free(database, leases), what="the expiry")

    await _append(database, store, slow.fence)
    async with database.write() as tx:
        assert await leases.renew(tx, slow, LONG_MS) is True

    assert await _acquire(database, leases, "r2") is None


async def test_nothing_is_written_under_a_lease_that_was_given_back(
    database: Database, leases: LeaseStore, store: SessionStore
) -> None:
    lease = _given(await _acquire(database, leases, "r1"))
    async with database.write() as tx:
        await leases.release(tx, lease)

    with pytest.raises(LeaseLost):
        await _append(database, store, lease.fence)


async def test_nobody_takes_over_between_the_check_of_the_fence_and_the_commit(
    database: Database, leases: LeaseStore, store: SessionStore
) -> None:
    lease = _given(await _acquire(database, leases, "r1", ttl_ms=1))
    await wait_until(lambda: _is_free(database, leases), what="the expiry")
    order: list[str] = []

    async def take_over() -> None:
        assert await _acquire(database, leases, "r2") is not None
        order.append("taken over")

    async with database.write() as tx:
        await store.append(tx, "s", "r1", WORDS, fence=lease.fence)
        rival = asyncio.create_task(take_over())
        _, waiting = await asyncio.wait({rival}, timeout=0.3)
        assert waiting
        order.append("committed")
    await rival

    assert order == ["committed", "taken over"]


async def test_two_turns_of_one_session_do_not_interleave(
    database: Database, leases: LeaseStore, store: SessionStore
) -> None:
    async def turn(number: int) -> None:
        async with held_lease(database, leases, "s", f"r{number}", "here", wait_s=30) as held:
            for content in (f"question {number}", f"answer {number}"):
                async with database.write() as tx:
                    event = NewEvent(MESSAGE, content, "user")
                    await store.append(tx, "s", f"r{number}", event, fence=held.lease.fence)
                await asyncio.sleep(0.001)

    await asyncio.gather(*(turn(number) for number in range(6)))

    async with database.read() as tx:
        runs = [event.run_id for event in await store.events(tx, "s")]
    assert runs[::2] == runs[1::2]
    assert len(set(runs)) == 6


async def test_a_busy_session_rejects_at_once_where_asked_to(database: Database, leases: LeaseStore) -> None:
    async with held_lease(database, leases, "s", "r1", "here"):
        with pytest.raises(Conflict, match="busy"):
            await _held(database, leases, "r2", policy="reject")


async def test_waiting_for_a_busy_session_is_bounded(database: Database, leases: LeaseStore) -> None:
    async with held_lease(database, leases, "s", "r1", "here"):
        with pytest.raises(Conflict, match="busy"):
            await _held(database, leases, "r2", wait_s=0.1)


async def test_a_held_lease_outlives_its_time_by_renewal(database: Database, leases: LeaseStore) -> None:
    async with held_lease(database, leases, "s", "r1", "here", ttl_s=1) as held:
        async with database.read() as tx:
            first_expiry_ms = await tx.scalar(select(leases_table.c.expires_ms))
        await _clock_past(database, first_expiry_ms or 0)

        assert await _acquire(database, leases, "r2") is None
        assert not held.lost.is_set()


async def test_a_held_lease_is_given_back_whatever_ends_the_body(database: Database, leases: LeaseStore) -> None:
    with pytest.raises(ValueError, match="mine"):
        async with held_lease(database, leases, "s", "r1", "here"):
            raise ValueError("mine")

    entered = asyncio.Event()

    async def hang() -> None:
        async with held_lease(database, leases, "s", "r2", "here"):
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(hang())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await _acquire(database, leases, "r3") is not None


async def test_a_holder_is_told_that_its_lease_is_lost(database: Database, leases: LeaseStore) -> None:
    async with held_lease(database, leases, "s", "r1", "here", ttl_s=0.3) as held:
        async with database.write() as tx:
            await leases.release(tx, held.lease)
        taken = _given(await _acquire(database, leases, "r2"))

        await asyncio.wait_for(held.lost.wait(), 10)

    async with database.read() as tx:
        assert await leases.is_held(tx, "s")
    assert taken.fence > held.lease.fence


async def test_a_holder_whose_database_is_away_longer_than_the_lease_is_told(sqlite_database: Database) -> None:
    class AwayDatabase:
        dialect = sqlite_database.dialect
        read = sqlite_database.read
        away = False

        @asynccontextmanager
        async def write(self) -> AsyncIterator[Transaction]:
            if self.away:
                raise Unavailable("away")
            async with sqlite_database.write() as tx:
                yield tx

    database = AwayDatabase()
    leases = LeaseStore(sqlite_database.dialect)
    async with held_lease(database, leases, "s", "r1", "here", ttl_s=0.3) as held:  # type: ignore[arg-type]
        database.away = True
        await asyncio.wait_for(held.lost.wait(), 10)


async def test_a_run_left_running_by_a_crash_is_reaped_once_its_lease_expired(
    database: Database, leases: LeaseStore, store: SessionStore
) -> None:
    crashed = _given(await _acquire(database, leases, "r1", ttl_ms=50, session_id="one"))
    alive = _given(await _acquire(database, leases, "r2", session_id="two"))
    async with database.write() as tx:
        await store.start_run(tx, "r1", "one", fence=crashed.fence, provider=None, model=None)
        await store.start_run(tx, "r2", "two", fence=alive.fence, provider=None, model=None)

    reaped = await wait_until(lambda: _reap(database, store), what="the expiry of the crashed run's lease")

    assert reaped == ["r1"]
    assert await _reap(database, store) == []
    run = await _run(database, store, "r1")
    assert (run.status, run.error_code) == ("failed", "crashed")
    assert run.ended_ms is not None
    assert (await _run(database, store, "r2")).status == "running"


async def test_a_reaped_run_that_was_only_slow_writes_nothing_more(
    database: Database, leases: LeaseStore, store: SessionStore
) -> None:
    slow = _given(await _acquire(database, leases, "r1", ttl_ms=1))
    async with database.write() as tx:
        await store.start_run(tx, "r1", "s", fence=slow.fence, provider=None, model=None)
    await wait_until(lambda: _reap(database, store), what="the expiry")

    with pytest.raises(LeaseLost):
        await _append(database, store, slow.fence)


async def test_a_takeover_ends_the_run_that_left_the_lease(
    database: Database, leases: LeaseStore, store: SessionStore
) -> None:
    crashed = _given(await _acquire(database, leases, "r1", ttl_ms=1))
    async with database.write() as tx:
        await store.start_run(tx, "r1", "s", fence=crashed.fence, provider=None, model=None)

    await wait_until(lambda: _acquire(database, leases, "r2"), what="the takeover")

    assert (await _run(database, store, "r1")).error_code == "crashed"


def _given(lease: Lease | None) -> Lease:
    assert lease is not None
    return lease


async def _acquire(
    database: Database, leases: LeaseStore, run_id: str, *, ttl_ms: int = LONG_MS, session_id: str = "s"
) -> Lease | None:
    async with database.write() as tx:
        return await leases.acquire(tx, session_id, run_id, "here", ttl_ms)


async def _held(database: Database, leases: LeaseStore, run_id: str, **options: object) -> None:
    async with held_lease(database, leases, "s", run_id, "here", **options):  # type: ignore[arg-type]
        raise AssertionError("the session was given twice")


async def _is_free(database: Database, leases: LeaseStore) -> bool:
    async with database.read() as tx:
        return not await leases.is_held(tx, "s")


async def _append(database: Database, store: SessionStore, fence: int) -> None:
    async with database.write() as tx:
        await store.ensure_session(tx, "s")
        await store.append(tx, "s", None, WORDS, fence=fence)


async def _reap(database: Database, store: SessionStore) -> list[str]:
    async with database.write() as tx:
        return await store.reap_runs(tx)


async def _run(database: Database, store: SessionStore, run_id: str) -> RunRecord:
    async with database.read() as tx:
        run = await store.find_run(tx, run_id)
    assert run is not None
    return run


async def _clock_past(database: Database, moment_ms: int) -> None:
    async def past() -> bool:
        async with database.read() as tx:
            return int(await tx.scalar(select(database.dialect.now_ms())) or 0) > moment_ms

    await wait_until(past, what="the database's clock")
