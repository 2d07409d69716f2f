"""The operators' view of the distilled lane: how deep it is, and what died in it. No content."""

from __future__ import annotations

from typing import Final

from sqlalchemy import func, select

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import distilled_outbox as rows
from beaver.outbox.distilled.records import DistilledDepth, DistilledRow
from beaver.outbox.distilled.schedule import DistilledState

ROWS_MAX: Final = 500
_SHOWN: Final = (
    rows.c.key,
    rows.c.tenant,
    rows.c.project,
    rows.c.user_id,
    rows.c.session_id,
    rows.c.run_id,
    rows.c.item_id,
    rows.c.state,
    rows.c.attempt,
    rows.c.error_category,
    rows.c.error_status,
    rows.c.created_ms,
    rows.c.updated_ms,
)


class DistilledInspection:
    """Reads, and changes nothing."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._now = dialect.now_ms()

    async def depth(self, tx: Transaction) -> DistilledDepth:
        """How many rows stand where."""
        counted = await tx.execute(select(rows.c.state, func.count()).group_by(rows.c.state))
        counts = {DistilledState(state): int(count) for state, count in counted}
        oldest = select(self._now - func.min(rows.c.created_ms)).where(rows.c.state == DistilledState.PENDING)
        age = await tx.scalar(oldest)
        return DistilledDepth(
            {state: counts.get(state, 0) for state in DistilledState}, None if age is None else max(0, int(age))
        )

    async def dead(self, tx: Transaction, *, limit: int = ROWS_MAX) -> list[DistilledRow]:
        """Items that were given up, those that died last first; at most 500."""
        found = await tx.execute(
            select(*_SHOWN)
            .where(rows.c.state == DistilledState.DEAD)
            .order_by(rows.c.updated_ms.desc(), rows.c.key)
            .limit(min(limit, ROWS_MAX))
        )
        return [DistilledRow(**{**row._mapping, "state": DistilledState(row.state)}) for row in found]
