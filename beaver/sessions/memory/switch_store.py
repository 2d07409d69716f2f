"""Sessions whose memory somebody switched off, in SQL."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import memory_switches as rows
from beaver.ids import validate_session_id
from beaver.sessions.storable import storable_text


@dataclass(frozen=True)
class SwitchRow:
    """Whether a session's memory is off, and how often that changed."""

    off: bool = False
    changes: int = 0


class SwitchStore:
    """Every method runs inside the caller's transaction. A session that nobody switched is on."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect

    async def read(self, tx: Transaction, session_id: str) -> SwitchRow:
        """How a session stands."""
        found = await tx.execute(select(rows.c.off, rows.c.changes).where(rows.c.session_id == session_id))
        row = found.one_or_none()
        return SwitchRow() if row is None else SwitchRow(bool(row.off), int(row.changes))

    async def switch(self, tx: Transaction, session_id: str, actor: str, *, off: bool) -> SwitchRow:
        """Switch a session's memory off or on; to switch it to what it is changes nothing. Raises InvalidInput for a bad id."""
        if (await self.read(tx, session_id)).off is off:
            return await self.read(tx, session_id)
        now = self._dialect.now_ms()
        values = {"off": off, "actor": storable_text(actor), "updated_ms": now}
        first = self._dialect.insert(rows).values(session_id=validate_session_id(session_id), changes=1, **values)
        again = {**values, "changes": rows.c.changes + 1}
        await tx.execute(first.on_conflict_do_update(index_elements=[rows.c.session_id], set_=again))
        return await self.read(tx, session_id)
