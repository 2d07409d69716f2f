"""What is written in the transaction that takes a session stands with the lease, or not at all."""

from __future__ import annotations

import asyncio

import pytest

from beaver.db.engine import Database, Transaction
from beaver.errors import Conflict
from beaver.sessions.holding import Entry, held_lease
from beaver.sessions.leases import Lease, LeaseStore
from beaver.sessions.records import MESSAGE, NewEvent, RunRecord
from beaver.sessions.store import SessionStore

WORDS = NewEvent(MESSAGE, "words", "user")


@pytest.fixture
def store(database: Database) -> SessionStore:
    return SessionStore(database.dialect)


@pytest.fixture
def leases(database: Database) -> LeaseStore:
    return LeaseStore(database.dialect)


def beginning(store: SessionStore) -> Entry:
    """A run's start and its prompt."""

    async def enter(tx: Transaction, lease: Lease) -> None:
        await store.start_run(tx, lease.run_id, lease.session_id, fence=lease.fence, provider=None, model=None)
        await store.append_held(tx, lease.session_id, lease.run_id, WORDS)

    async def undo(tx: Transaction, lease: Lease) -> None:
        await store.end_run(tx, lease.run_id, "cancelled")

    return Entry(enter, undo)


async def test_it_stands_when_the_body_begins(database: Database, leases: LeaseStore, store: SessionStore) -> None:
    async with held_lease(database, leases, "s", "r", "here", entry=beginning(store)) as held:
        assert (await _run(database, store)).fence == held.lease.fence
        assert await _said(database, store) == ["words"]
    assert await _is_free(database, leases)


async def test_what_it_raises_leaves_the_session_free_and_without_a_trace(
    database: Database, leases: LeaseStore, store: SessionStore
) -> None:
    async def refuse(tx: Transaction, lease: Lease) -> None:
        await store.append_held(tx, lease.session_id, lease.run_id, WORDS)
        raise Conflict("not now")

    with pytest.raises(Conflict, match="not now"):
        async with held_lease(database, leases, "s", "r", "here", entry=Entry(refuse, refuse)):
            raise AssertionError("the session was taken")
    async with database.read() as tx:
        assert await store.find_session(tx, "s") is None
    assert await _is_free(database, leases)


async def test_a_cancellation_during_its_commit_undoes_it_and_gives_the_session_back(
    database: Database, leases: LeaseStore, store: SessionStore
) -> None:
    begun = beginning(store)

    async def enter_and_be_cancelled(tx: Transaction, lease: Lease) -> None:
        await begun.enter(tx, lease)
        # It arrives at the next wait, which is that for the commit.
        taking.cancel()

    async def take() -> None:
        entry = Entry(enter_and_be_cancelled, begun.undo)
        async with held_lease(database, leases, "s", "r", "here", entry=entry):
            raise AssertionError("the body began")

    taking = asyncio.create_task(take())
    with pytest.raises(asyncio.CancelledError):
        await taking
    assert await _is_free(database, leases)
    assert (await _run(database, store)).status == "cancelled"


async def test_who_finds_the_session_busy_does_not_use_it(
    database: Database, leases: LeaseStore, store: SessionStore
) -> None:
    async with held_lease(database, leases, "s", "r", "here"):
        async with database.write() as tx:
            before = await store.find_session(tx, "s")
        with pytest.raises(Conflict):
            async with held_lease(database, leases, "s", "r2", "here", policy="reject", entry=beginning(store)):
                raise AssertionError("the session was given twice")
        async with database.read() as tx:
            assert await store.find_session(tx, "s") == before
            assert await store.find_run(tx, "r2") is None


async def test_a_body_may_give_the_session_back_with_its_last_write(
    database: Database, leases: LeaseStore, store: SessionStore
) -> None:
    async with held_lease(database, leases, "s", "r", "here") as held:
        async with database.write() as tx:
            assert await leases.release(tx, held.lease) is True
            await store.append(tx, "s", "r", WORDS)
        held.given_back = True
        async with held_lease(database, leases, "s", "r2", "here", policy="reject") as other:
            assert other.lease.fence > held.lease.fence
    async with database.write() as tx:
        assert await leases.release(tx, held.lease) is False


async def test_a_lease_is_given_back_by_its_own_run_alone(database: Database, leases: LeaseStore) -> None:
    """A fence whose transaction was rolled back is given again, to another run."""
    async with database.write() as tx:
        lost = await leases.acquire(tx, "s", "r", "here", 60_000)
        assert lost is not None
        await tx.rollback()
    async with database.write() as tx:
        held = await leases.acquire(tx, "s", "r2", "here", 60_000)
        assert held is not None
        assert await leases.release(tx, Lease("s", "r", "here", held.fence)) is False
    assert not await _is_free(database, leases)


async def _run(database: Database, store: SessionStore) -> RunRecord:
    async with database.read() as tx:
        run = await store.find_run(tx, "r")
    assert run is not None
    return run


async def _said(database: Database, store: SessionStore) -> list[str]:
    async with database.read() as tx:
        return [event.content for event in await store.history(tx, "s")]


async def _is_free(database: Database, leases: LeaseStore) -> bool:
    async with database.read() as tx:
        return not await leases.is_held(tx, "s")
