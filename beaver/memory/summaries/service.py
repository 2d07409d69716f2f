"""Session summaries for those who ask: tools and the prompt index."""

from __future__ import annotations

from beaver.db.engine import Database
from beaver.memory.namespace import Namespace
from beaver.memory.summaries import store
from beaver.memory.summaries.records import SessionSummary
from beaver.memory.users.store import find_namespace


class SummaryService:
    """One summary a session; a flush writes it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def recent(self, namespace: Namespace, *, limit: int) -> list[SessionSummary]:
        """The sessions that changed last, newest first."""
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            return [] if namespace_id is None else await store.recent_summaries(tx, namespace_id, limit=limit)
