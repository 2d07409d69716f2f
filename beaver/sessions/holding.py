"""Holds a session for the length of a body: takes its lease by a policy, renews it, gives it back."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Literal

from beaver.db.completion import to_its_end
from beaver.db.engine import Database, Transaction
from beaver.errors import Conflict, Unavailable
from beaver.logs import get_logger
from beaver.sessions.leases import Lease, LeaseStore

LeasePolicy = Literal["enqueue", "reject", "interrupt"]
_POLL_S: Final = (0.02, 0.25)
# What an interrupted run has to close its open ends and give the session back before it is taken away.
INTERRUPT_GRACE_S: Final = 3.0


@dataclass
class HeldLease:
    """A lease that is being renewed. `lost` is set when it could not be: whoever holds it must stop.

    A body that gives the session back itself, with its last write, says so by `given_back`.
    """

    lease: Lease
    lost: asyncio.Event = field(default_factory=asyncio.Event)
    given_back: bool = False


@dataclass(frozen=True)
class Entry:
    """What else is written in the transaction that takes a session; it may run again after one that was rolled back.

    `undo` is written, in a transaction of its own, when a cancellation comes so late that the session may have been
    taken and the body does not begin.
    """

    enter: Callable[[Transaction, Lease], Awaitable[None]]
    undo: Callable[[Transaction, Lease], Awaitable[None]]


@asynccontextmanager
async def held_lease(
    database: Database,
    store: LeaseStore,
    session_id: str,
    run_id: str,
    holder: str,
    *,
    ttl_s: float = 30,
    wait_s: float = 60,
    policy: LeasePolicy = "enqueue",
    entry: Entry | None = None,
) -> AsyncIterator[HeldLease]:
    """Hold the session for the body: renewed every third of `ttl_s`, given back at the end whatever happens.

    `enqueue` waits up to `wait_s` for a busy session, `reject` does not; `interrupt` stops the run that holds it and
    takes the session away after a short grace. Raises Conflict when it cannot be had, and what `entry` raises: then it
    is not taken. The body must watch `lost`; its appends are refused by the fence in any case.
    """
    door = _Door(database, store, (session_id, run_id, holder), ttl_s, entry)
    if policy == "interrupt":
        lease = await door.taken()
    else:
        lease = await door.acquired(wait_s if policy == "enqueue" else 0)
    held = HeldLease(lease)
    renewal = asyncio.create_task(_renew_until_lost(database, store, held, ttl_s))
    try:
        yield held
    finally:
        renewal.cancel()
        if held.given_back:
            await asyncio.wait({renewal})
        else:
            await to_its_end(_give_back(database, store, lease, renewal=renewal))


class _Door:
    """The ways into a session for one run."""

    def __init__(
        self, database: Database, store: LeaseStore, wanted: tuple[str, str, str], ttl_s: float, entry: Entry | None
    ) -> None:
        self._database = database
        self._store = store
        self._wanted = wanted
        self._ttl_ms = _ms(ttl_s)
        self._entry = entry

    async def acquired(self, wait_s: float) -> Lease:
        """The session as soon as it is free."""
        give_up = time.monotonic() + wait_s
        delay_s, delay_max_s = _POLL_S
        lease = await self._tried()
        while lease is None:
            if time.monotonic() >= give_up:
                raise Conflict("the session is busy with another turn")
            await asyncio.sleep(random.uniform(delay_s / 2, delay_s))  # noqa: S311 - jitter, not a secret
            delay_s = min(delay_s * 1.5, delay_max_s)
            lease = await self._tried() if await self._is_free() else None
        return lease

    async def taken(self) -> Lease:
        """The session after its holder was asked to stop; by force from a holder that does not listen."""
        if lease := await self._tried():
            return lease
        async with self._database.write() as tx:
            await self._store.interrupt(tx, self._wanted[0])
        try:
            return await self.acquired(INTERRUPT_GRACE_S)
        except Conflict:
            by_force = await self._tried(by_force=True)
        if by_force is None:
            raise Conflict("the session is busy with another turn")
        return by_force

    async def _is_free(self) -> bool:
        """A look that locks nothing, for those that wait."""
        async with self._database.read() as tx:
            return not await self._store.is_held(tx, self._wanted[0])

    async def _tried(self, *, by_force: bool = False) -> Lease | None:
        lease: Lease | None = None
        try:
            async with self._database.write() as tx:
                lease = await self._store.acquire(tx, *self._wanted, self._ttl_ms, by_force=by_force)
                if lease is None:
                    await tx.rollback()
                elif self._entry is not None:
                    await self._entry.enter(tx, lease)
        except asyncio.CancelledError:
            # It may have come during the commit, which then went to its end: nobody else knows of the lease.
            if lease is not None:
                await to_its_end(_give_back(self._database, self._store, lease, entry=self._entry))
            raise
        return lease


async def _renew_until_lost(database: Database, store: LeaseStore, held: HeldLease, ttl_s: float) -> None:
    sure_until = time.monotonic() + ttl_s
    try:
        while time.monotonic() < sure_until:
            await asyncio.sleep(ttl_s / 3)
            asked_at = time.monotonic()
            try:
                async with database.write() as tx:
                    if not await store.renew(tx, held.lease, _ms(ttl_s)):
                        break
                sure_until = asked_at + ttl_s
            except Unavailable:
                get_logger().warning("lease.renewal_failed", session_id=held.lease.session_id, run_id=held.lease.run_id)
    finally:
        held.lost.set()


async def _give_back(
    database: Database,
    store: LeaseStore,
    lease: Lease,
    *,
    renewal: asyncio.Task[None] | None = None,
    entry: Entry | None = None,
) -> None:
    if renewal is not None:
        await asyncio.wait({renewal})
    try:
        async with database.write() as tx:
            await store.release(tx, lease)
            if entry is not None:
                await entry.undo(tx, lease)
    except Unavailable:
        # It expires by itself.
        get_logger().warning("lease.release_failed", session_id=lease.session_id, run_id=lease.run_id)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
