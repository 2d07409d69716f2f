"""Session summaries for those who ask: written after a flush, listed for tools and the prompt index."""

from __future__ import annotations

from beaver.clock import Clock
from beaver.db.engine import Database
from beaver.ids import IdSource
from beaver.memory.namespace import Namespace
from beaver.memory.summaries import store
from beaver.memory.summaries.records import SessionSummary
from beaver.memory.summaries.summarising import summarise
from beaver.memory.transcripts.store import find_conversation
from beaver.memory.users.store import ensure_namespace, find_namespace


class SummaryService:
    """One summary a session."""

    def __init__(self, database: Database, clock: Clock, new_id: IdSource) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id

    async def summarise(self, namespace: Namespace, session_id: str) -> None:
        """Bring the session's summary into step with what it holds now; can be repeated. None for an empty session."""
        now_ms = self._clock()
        async with self._database.write() as tx:
            namespace_id = await ensure_namespace(tx, namespace, now_ms)
            conversation_id = await find_conversation(tx, namespace_id, session_id)
            if conversation_id is not None:
                await summarise(tx, namespace_id, conversation_id, self._new_id, now_ms)

    async def recent(self, namespace: Namespace, *, limit: int) -> list[SessionSummary]:
        """The sessions that changed last, newest first."""
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            return [] if namespace_id is None else await store.recent_summaries(tx, namespace_id, limit=limit)
