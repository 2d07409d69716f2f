"""The distilled lane's SQL. Every method runs inside the caller's transaction; all times are the database's own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, and_, delete, func, or_, select, update

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import distilled_outbox as rows
from beaver.db.tables import sessions
from beaver.outbox.audit import WORKER_LOST
from beaver.outbox.distilled.records import Batch, BatchedItem, NewDistilled
from beaver.outbox.distilled.schedule import (
    ATTEMPTS_MAX,
    BATCH_ITEMS_MAX,
    BATCH_WAIT_MS,
    SENT_KEPT_MS,
    Again,
    DistilledState,
    Fault,
    GivenUp,
)

_HELD: Final = (DistilledState.PENDING, DistilledState.DEAD)
"""Here lie words that nobody is sending."""
_OF_ONE: Final = (rows.c.tenant, rows.c.project, rows.c.user_id)


class DistilledStore:
    """The rows of items on their way. Stateless: share it between tasks."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect
        self._now = dialect.now_ms()

    async def insert(self, tx: Transaction, new: NewDistilled) -> bool:
        """Enter an item; False where it stands there, or its session is gone."""
        # Locked, so that the session is not deleted between the look and the row that belongs to it.
        lives = select(sessions.c.id).where(sessions.c.id == new.session_id).with_for_update(key_share=True)
        if (await tx.execute(lives)).one_or_none() is None:
            return False
        entered = self._dialect.insert(rows).values(
            **vars(new),
            state=DistilledState.PENDING,
            attempt=0,
            due_ms=self._now + BATCH_WAIT_MS,
            created_ms=self._now,
            updated_ms=self._now,
        )
        return (await tx.execute(entered.on_conflict_do_nothing(index_elements=[rows.c.key]))).rowcount == 1

    async def claim(self, tx: Transaction, holder: str, batch_id: str, *, claim_ms: int) -> Batch | None:
        """Take a batch that is due: one that failed before, as it was, or up to 20 new items of one user; None where none is.

        New items are due when the first has waited 2 s, or when there are enough of them.
        """
        keys = await self._failed_before(tx) or await self._new(tx)
        if not keys:
            return None
        mine = rows.c.key.in_(keys)
        claimed = {
            "state": DistilledState.SENDING,
            "batch": func.coalesce(rows.c.batch, batch_id),
            "attempt": rows.c.attempt + 1,
            "holder": holder,
            "claim_expires_ms": self._now + claim_ms,
            "updated_ms": self._now,
        }
        await tx.execute(update(rows).where(mine).values(**claimed))
        found = (await tx.execute(select(rows).where(mine).order_by(rows.c.created_ms, rows.c.key))).all()
        return _batch(found)

    async def sent(self, tx: Transaction, batch: Batch, holder: str) -> bool:
        """Note that a batch arrived, and forget its words; False where the claim was lost."""
        done = {"state": DistilledState.SENT, "content": "", "error_category": None, "error_status": None}
        return await self._end(tx, batch, holder, done)

    async def standing(self, tx: Transaction, keys: Collection[str]) -> set[str]:
        """Those of the keys that have a row: what was forgotten meanwhile has none."""
        found = await tx.execute(select(rows.c.key).where(rows.c.key.in_(list(keys))))
        return set(found.scalars())

    async def failed(self, tx: Transaction, batch: Batch, holder: str, fault: Fault, then: Again | GivenUp) -> bool:
        """Note why a batch did not arrive, and what follows from it; False where the claim was lost."""
        why: dict[str, Any] = {"error_category": fault.category, "error_status": fault.status}
        if isinstance(then, Again):
            why |= {"state": DistilledState.PENDING, "due_ms": self._now + then.delay_ms}
        else:
            why |= {"state": DistilledState.DEAD}
        return await self._end(tx, batch, holder, why)

    async def release_lost(self, tx: Transaction) -> int:
        """Give up the claims of workers that are gone: their batches are sent again, or dead after the last attempt."""
        lost = update(rows).where(rows.c.state == DistilledState.SENDING, rows.c.claim_expires_ms < self._now)
        gone = {"holder": None, "error_category": WORKER_LOST, "updated_ms": self._now}
        dead = await tx.execute(lost.where(rows.c.attempt >= ATTEMPTS_MAX).values(**gone, state=DistilledState.DEAD))
        again = await tx.execute(lost.values(**gone, state=DistilledState.PENDING, due_ms=self._now))
        return dead.rowcount + again.rowcount

    async def needs_worker(self, tx: Transaction) -> bool:
        """Whether something is due or its time is over, or a worker left what it had claimed."""
        due = and_(rows.c.state == DistilledState.PENDING, rows.c.due_ms <= self._now)
        lost = and_(rows.c.state == DistilledState.SENDING, rows.c.claim_expires_ms < self._now)
        return await tx.scalar(select(rows.c.key).where(or_(due, lost, self._is_over())).limit(1)) is not None

    async def next_due_ms(self, tx: Transaction) -> int | None:
        """In how many milliseconds something is due, 0 for now; None where nothing waits."""
        first = select(func.min(rows.c.due_ms) - self._now).where(rows.c.state == DistilledState.PENDING)
        waits = await tx.scalar(first)
        return None if waits is None else max(0, int(waits))

    async def requeue(self, tx: Transaction, keys: Collection[str]) -> int:
        """Have dead items sent anew, each with all its attempts; how many there were."""
        dead = update(rows).where(rows.c.state == DistilledState.DEAD, rows.c.key.in_(list(keys)))
        anew = {"state": DistilledState.PENDING, "batch": None, "attempt": 0, "holder": None}
        return (await tx.execute(dead.values(**anew, due_ms=self._now, updated_ms=self._now))).rowcount

    async def drop(self, tx: Transaction, keys: Collection[str]) -> int:
        """Remove dead items, so that they are never sent; how many there were."""
        dead = delete(rows).where(rows.c.state == DistilledState.DEAD, rows.c.key.in_(list(keys)))
        return (await tx.execute(dead)).rowcount

    async def erase(self, tx: Transaction, item_ids: Collection[str]) -> int:
        """Remove the rows of forgotten items, wherever they stand."""
        theirs = delete(rows).where(self._dialect.is_one_of(rows.c.item_id, "ids"))
        return (await tx.execute(theirs, {"ids": self._dialect.many(list(item_ids))})).rowcount

    async def withdraw(self, tx: Transaction, item_ids: Collection[str]) -> int:
        """Remove the rows of items that say something else by now, unless they are sent or being sent."""
        theirs = delete(rows).where(self._dialect.is_one_of(rows.c.item_id, "ids"), rows.c.state.in_(_HELD))
        return (await tx.execute(theirs, {"ids": self._dialect.many(list(item_ids))})).rowcount

    async def erase_of(self, tx: Transaction, tenant: str, user_id: str, *, session_id: str | None = None) -> int:
        """Remove a user's rows, of one session where it is named, wherever they stand."""
        theirs = delete(rows).where(rows.c.tenant == tenant, rows.c.user_id == user_id)
        if session_id is not None:
            theirs = theirs.where(rows.c.session_id == session_id)
        return (await tx.execute(theirs)).rowcount

    async def erase_expired(self, tx: Transaction) -> int:
        """Remove the rows of items whose time is over, but for those that a worker is sending."""
        return (await tx.execute(delete(rows).where(self._is_over()))).rowcount

    async def forget_sent(self, tx: Transaction) -> int:
        """Remove rows of items that arrived long ago."""
        old = rows.c.updated_ms < self._now - SENT_KEPT_MS
        return (await tx.execute(delete(rows).where(rows.c.state == DistilledState.SENT, old))).rowcount

    async def _failed_before(self, tx: Transaction) -> list[str]:
        """Keys of the batch that was to be sent again first."""
        due = select(rows.c.batch).where(*self._waiting(), rows.c.batch.is_not(None), rows.c.due_ms <= self._now)
        batch = await tx.scalar(due.order_by(rows.c.due_ms).limit(1))
        if batch is None:
            return []
        return await self._locked(tx, select(rows.c.key).where(rows.c.batch == batch).order_by(rows.c.key))

    async def _new(self, tx: Transaction) -> list[str]:
        """Keys of new items of one user, the oldest first."""
        fresh = (*self._waiting(), rows.c.batch.is_(None))
        ripe = (func.min(rows.c.due_ms) <= self._now) | (func.count() >= BATCH_ITEMS_MAX)
        users = select(*_OF_ONE).where(*fresh).group_by(*_OF_ONE).having(ripe)
        user = (await tx.execute(users.order_by(func.min(rows.c.due_ms)).limit(1))).one_or_none()
        if user is None:
            return []
        theirs = [column == value for column, value in zip(_OF_ONE, user, strict=True)]
        oldest = select(rows.c.key).where(*fresh, *theirs).order_by(rows.c.created_ms, rows.c.key)
        return await self._locked(tx, oldest.limit(BATCH_ITEMS_MAX))

    async def _locked(self, tx: Transaction, keys: Select[str]) -> list[str]:
        """The keys of those rows that still wait, once nobody else has them: a batch is taken whole, or not at all."""
        return list((await tx.execute(keys.where(*self._waiting()).with_for_update())).scalars())

    def _waiting(self) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
        lives = or_(rows.c.expires_ms.is_(None), rows.c.expires_ms > self._now)
        return rows.c.state == DistilledState.PENDING, lives

    def _is_over(self) -> ColumnElement[bool]:
        return and_(rows.c.state.in_(_HELD), rows.c.expires_ms <= self._now)

    async def _end(self, tx: Transaction, batch: Batch, holder: str, values: dict[str, Any]) -> bool:
        mine = (rows.c.batch == batch.id, rows.c.holder == holder, rows.c.state == DistilledState.SENDING)
        ended = {**values, "holder": None, "claim_expires_ms": None, "updated_ms": self._now}
        return (await tx.execute(update(rows).where(*mine).values(**ended))).rowcount > 0


def _batch(found: Sequence[Row[Any]]) -> Batch:
    first = found[0]
    items = tuple(BatchedItem(row.key, row.content, row.created_ms) for row in found)
    return Batch(first.batch, first.tenant, first.project, first.user_id, first.attempt, items)
