"""One run at a time in a session, across all servers: a lease whose fence only ever rises, and its renewal.

Expiry is by the database's clock. The row stays after release, so that no fence is given twice; a deleted session's
next lease starts at the clock, which is past every fence it had.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Literal

from sqlalchemy import ColumnElement, and_, or_, select, update

from beaver.db.completion import to_its_end
from beaver.db.dialect import SqlDialect
from beaver.db.engine import Database, Transaction
from beaver.db.tables import leases, runs, sessions
from beaver.errors import Conflict, Unavailable
from beaver.ids import validate_session_id
from beaver.logs import get_logger
from beaver.sessions.records import CRASHED, RUNNING, SUPERSEDED
from beaver.sessions.storable import storable_text

LeasePolicy = Literal["enqueue", "reject", "interrupt"]
_POLL_S: Final = (0.02, 0.25)
# What an interrupted run has to close its open ends and give the session back before it is taken away.
INTERRUPT_GRACE_S: Final = 3.0


class LeaseLost(Conflict):
    """The run no longer holds its session: another took over, or the lease was given back. Nothing was written."""


@dataclass(frozen=True)
class Lease:
    """The right of one run to write to one session, as long as `fence` is the session's current one."""

    session_id: str
    run_id: str
    holder: str
    fence: int


@dataclass(frozen=True)
class HeldLease:
    """A lease that is being renewed. `lost` is set when it could not be: whoever holds it must stop."""

    lease: Lease
    lost: asyncio.Event


class LeaseStore:
    """Leases in SQL. Every method is one atomic statement or locks the row first, so servers may race."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect

    async def acquire(
        self, tx: Transaction, session_id: str, run_id: str, holder: str, ttl_ms: int, *, by_force: bool = False
    ) -> Lease | None:
        """Take the session, creating it if need be; None while another lease on it has not expired, unless `by_force`.

        Taking over an expired lease ends the run that left it as crashed, taking it by force as cancelled.
        """
        validate_session_id(session_id)
        now = self._dialect.now_ms()
        await tx.execute(
            self._dialect.insert(sessions)
            .values(id=session_id, created_ms=now, updated_ms=now)
            .on_conflict_do_nothing(index_elements=[sessions.c.id])
        )
        run_id, holder = storable_text(run_id), storable_text(holder)
        mine = {"run_id": run_id, "holder": holder, "expires_ms": now + ttl_ms}
        fence = await tx.scalar(
            self._dialect.insert(leases)
            .values(session_id=session_id, fence=now, **mine)
            .on_conflict_do_update(
                index_elements=[leases.c.session_id],
                set_={"fence": leases.c.fence + 1, **mine},
                where=None if by_force else or_(leases.c.run_id.is_(None), leases.c.expires_ms <= now),
            )
            .returning(leases.c.fence)
        )
        if fence is None:
            return None
        await self._end_runs_before(tx, session_id, fence, SUPERSEDED if by_force else CRASHED)
        return Lease(session_id, run_id, holder, fence)

    async def is_held(self, tx: Transaction, session_id: str) -> bool:
        """Whether a lease on the session has not expired: a look that locks nothing."""
        held = select(leases.c.fence).where(
            leases.c.session_id == session_id,
            leases.c.run_id.is_not(None),
            leases.c.expires_ms > self._dialect.now_ms(),
        )
        return await tx.scalar(held) is not None

    async def interrupt(self, tx: Transaction, session_id: str) -> None:
        """Ask the run that holds the session to stop, in whichever process it is."""
        holding = select(leases.c.run_id).where(leases.c.session_id == session_id).scalar_subquery()
        asked = update(runs).where(runs.c.id == holding, runs.c.stop_requested_ms.is_(None))
        await tx.execute(asked.values(stop_requested_ms=self._dialect.now_ms()))

    async def renew(self, tx: Transaction, lease: Lease, ttl_ms: int) -> bool:
        """Hold for another `ttl_ms` from now; False when the lease is lost. A late renewal is fine if nobody came."""
        renewed = await tx.execute(update(leases).where(_is(lease)).values(expires_ms=self._dialect.now_ms() + ttl_ms))
        return renewed.rowcount == 1

    async def release(self, tx: Transaction, lease: Lease) -> None:
        """Give the session back. Nothing happens when the lease is lost already."""
        await tx.execute(update(leases).where(_is(lease)).values(run_id=None, holder=None, expires_ms=0))

    async def verify(self, tx: Transaction, session_id: str, fence: int) -> None:
        """Raise LeaseLost unless the fence is the current one; until this transaction ends nobody can take over."""
        current = await tx.scalar(
            select(leases.c.fence)
            .where(leases.c.session_id == session_id, leases.c.run_id.is_not(None))
            .with_for_update()
        )
        if current != fence:
            raise LeaseLost("the run lost the lease of its session")

    async def _end_runs_before(self, tx: Transaction, session_id: str, fence: int, code: str) -> None:
        left = and_(runs.c.session_id == session_id, runs.c.status == RUNNING, runs.c.fence < fence)
        status = "cancelled" if code == SUPERSEDED else "failed"
        await tx.execute(
            update(runs).where(left).values(status=status, error_code=code, ended_ms=self._dialect.now_ms())
        )


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
) -> AsyncIterator[HeldLease]:
    """Hold the session for the body: renewed every third of `ttl_s`, given back at the end whatever happens.

    `enqueue` waits up to `wait_s` for a busy session, `reject` does not; `interrupt` stops the run that holds it and
    takes the session away after a short grace. Raises Conflict when it cannot be had. The body must watch `lost`; its
    appends are refused by the fence in any case.
    """
    wanted = (session_id, run_id, holder)
    if policy == "interrupt":
        lease = await _taken(database, store, wanted, ttl_s)
    else:
        lease = await _acquired(database, store, wanted, ttl_s, wait_s if policy == "enqueue" else 0)
    held = HeldLease(lease, asyncio.Event())
    renewal = asyncio.create_task(_renew_until_lost(database, store, held, ttl_s))
    try:
        yield held
    finally:
        await to_its_end(_give_back(database, store, lease, renewal))


async def _acquired(
    database: Database, store: LeaseStore, wanted: tuple[str, str, str], ttl_s: float, wait_s: float
) -> Lease:
    give_up = time.monotonic() + wait_s
    delay_s, delay_max_s = _POLL_S
    while True:
        lease = await _tried(database, store, wanted, ttl_s)
        if lease is not None:
            return lease
        if time.monotonic() >= give_up:
            raise Conflict("the session is busy with another turn")
        await asyncio.sleep(random.uniform(delay_s / 2, delay_s))  # noqa: S311 - jitter, not a secret
        delay_s = min(delay_s * 1.5, delay_max_s)


async def _taken(database: Database, store: LeaseStore, wanted: tuple[str, str, str], ttl_s: float) -> Lease:
    """The session after its holder was asked to stop; by force from a holder that does not listen."""
    if lease := await _tried(database, store, wanted, ttl_s):
        return lease
    async with database.write() as tx:
        await store.interrupt(tx, wanted[0])
    try:
        return await _acquired(database, store, wanted, ttl_s, INTERRUPT_GRACE_S)
    except Conflict:
        async with database.write() as tx:
            by_force = await store.acquire(tx, *wanted, _ms(ttl_s), by_force=True)
    if by_force is None:
        raise Conflict("the session is busy with another turn")
    return by_force


async def _tried(database: Database, store: LeaseStore, wanted: tuple[str, str, str], ttl_s: float) -> Lease | None:
    async with database.read() as tx:
        if await store.is_held(tx, wanted[0]):
            return None
    async with database.write() as tx:
        return await store.acquire(tx, *wanted, _ms(ttl_s))


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


async def _give_back(database: Database, store: LeaseStore, lease: Lease, renewal: asyncio.Task[None]) -> None:
    renewal.cancel()
    await asyncio.wait({renewal})
    try:
        async with database.write() as tx:
            await store.release(tx, lease)
    except Unavailable:
        # It expires by itself.
        get_logger().warning("lease.release_failed", session_id=lease.session_id, run_id=lease.run_id)


def _is(lease: Lease) -> ColumnElement[bool]:
    return and_(leases.c.session_id == lease.session_id, leases.c.fence == lease.fence, leases.c.run_id.is_not(None))


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
