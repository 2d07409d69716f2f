"""Whether a session's memory is off, as the recall gate and the write side read it from the session store."""

from __future__ import annotations

from beaver.agent.policy.stores import Switched
from beaver.db.engine import Database
from beaver.sessions.memory.switch_store import SwitchStore


class StoredSwitch:
    """A SessionSwitch over the session store, the same for every process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._store = SwitchStore(database.dialect)

    async def read(self, session_id: str) -> Switched:
        """See SessionSwitch."""
        async with self._database.read() as tx:
            row = await self._store.read(tx, session_id)
        return Switched(row.off, row.changes)
