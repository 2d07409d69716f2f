"""What the Gateway is to forget, since it was deleted here while it was sent: kept until it has. No content, ids alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import delete, func, insert, select, update

from beaver.config.memory import MemoryOwner
from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import withdrawals

PAGE_ROWS_MAX: Final = 200
HELD_MS: Final = 120_000
"""For so long nobody else tries what one worker tries; if that worker dies, another does afterwards."""
KEPT_MS: Final = 7 * 86_400_000
"""For how long a Gateway is asked again."""
_WAIT_MS: Final = 30_000
_WAIT_MS_MAX: Final = 3_600_000


@dataclass(frozen=True)
class Withdrawal:
    """A message that the Gateway is to forget. `attempt`: from 1; `age_ms`: since it was noted, by the database's clock."""

    id: int
    owner: MemoryOwner
    message_id: str
    attempt: int
    age_ms: int

    @property
    def wait_ms(self) -> int:
        """How long after this attempt the next one is made: half a minute, twice that, … up to an hour."""
        return min(_WAIT_MS_MAX, _WAIT_MS << min(self.attempt - 1, 10))

    @property
    def is_last(self) -> bool:
        """Whether the next attempt would come too late."""
        return self.age_ms + self.wait_ms > KEPT_MS


class WithdrawalStore:
    """The rows. Every method runs inside the caller's transaction. To have a message forgotten twice does no harm."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect

    async def note(self, tx: Transaction, owner: MemoryOwner, message_ids: Sequence[str]) -> list[Withdrawal]:
        """Keep what is to be forgotten; the caller tries first, and others after `HELD_MS`."""
        now_ms = self._dialect.now_ms()
        row = {
            "gateway_user_id": owner.user_id,
            "app_id": owner.app_id,
            "project_id": owner.project_id,
            "attempt": 1,
            "created_ms": now_ms,
            "due_ms": now_ms + HELD_MS,
        }
        noted: list[Withdrawal] = []
        for message_id in message_ids:
            stored = insert(withdrawals).values(**row, message_id=message_id).returning(withdrawals.c.id)
            noted.append(Withdrawal((await tx.execute(stored)).scalar_one(), owner, message_id, attempt=1, age_ms=0))
        return noted

    async def any_due(self, tx: Transaction) -> bool:
        """Whether there is something to be tried again now: seldom, and a look that reads alone disturbs nobody."""
        due = select(withdrawals.c.id).where(withdrawals.c.due_ms <= self._dialect.begun_ms()).limit(1)
        return await tx.scalar(due) is not None

    async def take_due(self, tx: Transaction) -> list[Withdrawal]:
        """A page of what is to be tried again now, held for the caller."""
        due = withdrawals.c.due_ms <= self._dialect.begun_ms()
        page = select(withdrawals.c.id).where(due).order_by(withdrawals.c.due_ms).limit(PAGE_ROWS_MAX)
        taken = (
            update(withdrawals)
            .where(withdrawals.c.id.in_(page), due)
            .values(attempt=withdrawals.c.attempt + 1, due_ms=self._dialect.now_ms() + HELD_MS)
            .returning(withdrawals, (self._dialect.now_ms() - withdrawals.c.created_ms).label("age_ms"))
        )
        return [_withdrawal(row) for row in await tx.execute(taken)]

    async def wait(self, tx: Transaction, tried: Sequence[Withdrawal]) -> None:
        """These are to be tried again later."""
        for one in tried:
            due_ms = self._dialect.now_ms() + one.wait_ms
            await tx.execute(update(withdrawals).where(withdrawals.c.id == one.id).values(due_ms=due_ms))

    async def end(self, tx: Transaction, ended: Sequence[Withdrawal]) -> None:
        """These are forgotten there, or cannot be."""
        await tx.execute(delete(withdrawals).where(withdrawals.c.id.in_([one.id for one in ended])))

    async def count(self, tx: Transaction) -> int:
        """How many messages the Gateway is yet to forget."""
        return await tx.scalar(select(func.count()).select_from(withdrawals)) or 0


def _withdrawal(row: Any) -> Withdrawal:
    owner = MemoryOwner(row.gateway_user_id, row.app_id, row.project_id)
    return Withdrawal(row.id, owner, row.message_id, row.attempt, max(0, row.age_ms))
