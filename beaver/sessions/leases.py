"""One run at a time in a session, across all servers: a lease whose fence only ever rises.

Expiry is by the database's clock. The row stays after release, so that no fence is given twice; a deleted session's
next lease starts at the clock, which is past every fence it had.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from sqlalchemy import BigInteger, TextClause, bindparam, or_, select, text, update

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import UNDER_WAY, leases, runs, sessions
from beaver.errors import Conflict
from beaver.ids import validate_session_id
from beaver.sessions.records import CRASHED, RUNNING, SUPERSEDED
from beaver.sessions.storable import storable_text

IS_UNDER_WAY: Final[TextClause] = text(f"runs.{UNDER_WAY}")
"""Of a run. Literally the predicate of the partial index, so that both databases recognise it."""


class LeaseLost(Conflict):
    """The run no longer holds its session: another took over, or the lease was given back. Nothing was written."""


@dataclass(frozen=True)
class Lease:
    """The right of one run to write to one session, as long as `fence` is the session's current one."""

    session_id: str
    run_id: str
    holder: str
    fence: int


class _Statements:
    """What every run consists of, built once a dialect. What is not named in them are columns' own names."""

    def __init__(self, dialect: SqlDialect) -> None:
        now = dialect.now_ms()
        until = now + bindparam("ttl_ms", type_=BigInteger)
        born = dialect.insert(sessions).values(id=bindparam("entered"), created_ms=now, updated_ms=now)
        self.entered = born.on_conflict_do_update(index_elements=[sessions.c.id], set_={"updated_ms": now})
        first = dialect.insert(leases).values(fence=now, expires_ms=until)
        taken = {
            "fence": leases.c.fence + 1,
            "run_id": first.excluded.run_id,
            "holder": first.excluded.holder,
            "expires_ms": until,
        }
        free = or_(leases.c.run_id.is_(None), leases.c.expires_ms <= now)
        self.taken, self.taken_by_force = (
            first.on_conflict_do_update(index_elements=[leases.c.session_id], set_=taken, where=where).returning(
                leases.c.fence
            )
            for where in (free, None)
        )
        earlier = (runs.c.session_id == bindparam("entered"), runs.c.fence < bindparam("below"))
        self.left = update(runs).where(IS_UNDER_WAY, runs.c.status == RUNNING, *earlier).values(ended_ms=now)
        held = (leases.c.session_id == bindparam("held"), leases.c.run_id.is_not(None))
        self.is_held = select(leases.c.fence).where(*held, leases.c.expires_ms > now)
        self.fence = select(leases.c.fence).where(*held).with_for_update()
        holding = select(leases.c.run_id).where(leases.c.session_id == bindparam("held")).scalar_subquery()
        asked = update(runs).where(runs.c.id == holding, runs.c.stop_requested_ms.is_(None))
        self.interrupted = asked.values(stop_requested_ms=now)
        # The run too: a fence that was given in a transaction that did not come to its end is given again.
        mine = (leases.c.session_id == bindparam("held"), leases.c.fence == bindparam("at"))
        ours = update(leases).where(*mine, leases.c.run_id == bindparam("by"))
        self.renewed = ours.values(expires_ms=until)
        self.released = ours.values(run_id=None, holder=None, expires_ms=0)


_statements = cache(_Statements)


class LeaseStore:
    """Leases in SQL. Every method is one atomic statement or locks the row first, so servers may race."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._made = _statements(dialect)

    async def acquire(
        self, tx: Transaction, session_id: str, run_id: str, holder: str, ttl_ms: int, *, by_force: bool = False
    ) -> Lease | None:
        """Take the session, creating it if need be; None while another lease on it has not expired, unless `by_force`.

        The session's row is locked and counts as used from now on: where the lease cannot be had, roll back. Taking over
        an expired lease ends the run that left it as crashed, taking it by force as cancelled.
        """
        await tx.execute(self._made.entered, {"entered": validate_session_id(session_id)})
        run_id, holder = storable_text(run_id), storable_text(holder)
        fence = await tx.scalar(
            self._made.taken_by_force if by_force else self._made.taken,
            {"session_id": session_id, "run_id": run_id, "holder": holder, "ttl_ms": ttl_ms},
        )
        if fence is None:
            return None
        status, code = ("cancelled", SUPERSEDED) if by_force else ("failed", CRASHED)
        ended = {"entered": session_id, "below": fence, "status": status, "error_code": code}
        await tx.execute(self._made.left, ended)
        return Lease(session_id, run_id, holder, fence)

    async def is_held(self, tx: Transaction, session_id: str) -> bool:
        """Whether a lease on the session has not expired: a look that locks nothing."""
        return await tx.scalar(self._made.is_held, {"held": session_id}) is not None

    async def interrupt(self, tx: Transaction, session_id: str) -> None:
        """Ask the run that holds the session to stop, in whichever process it is."""
        await tx.execute(self._made.interrupted, {"held": session_id})

    async def renew(self, tx: Transaction, lease: Lease, ttl_ms: int) -> bool:
        """Hold for another `ttl_ms` from now; False when the lease is lost. A late renewal is fine if nobody came."""
        return (await tx.execute(self._made.renewed, {**_is(lease), "ttl_ms": ttl_ms})).rowcount == 1

    async def release(self, tx: Transaction, lease: Lease) -> bool:
        """Give the session back; False, and nothing happens, when the lease is lost already.

        Who is told True may write on in this transaction: nobody can take over until it ends.
        """
        return (await tx.execute(self._made.released, _is(lease))).rowcount == 1

    async def verify(self, tx: Transaction, session_id: str, fence: int) -> None:
        """Raise LeaseLost unless the fence is the current one; until this transaction ends nobody can take over."""
        if await tx.scalar(self._made.fence, {"held": session_id}) != fence:
            raise LeaseLost("the run lost the lease of its session")


def _is(lease: Lease) -> dict[str, str | int]:
    return {"held": lease.session_id, "at": lease.fence, "by": lease.run_id}
