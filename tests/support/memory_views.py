"""What an engine remembers, through the doors that the product has, as a person reads it and as the tools show it; and all that
its tables hold."""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import text

from beaver.db.engine import Database
from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import Observation
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import FULLTEXT_TABLE, metadata
from beaver.memory.tools.handlers import ToolCaller


async def observation(runtime: MemoryRuntime, namespace: Namespace, observation_id: str) -> Observation:
    """One observation, an ended one too. Raises NotFound."""
    found = await runtime.read_memory(namespace, observation_id)
    assert isinstance(found, Observation)
    return found


async def found_observations(runtime: MemoryRuntime, namespace: Namespace, query: str) -> list[dict[str, Any]]:
    """The observations that answer, best first."""
    answer = await runtime.call_tool("memory_search", {"query": query}, ToolCaller(namespace))
    return cast("list[dict[str, Any]]", answer["results"])


async def last_sessions(runtime: MemoryRuntime, namespace: Namespace) -> list[dict[str, Any]]:
    """The sessions that were summed up last, the last first."""
    answer = await runtime.call_tool("memory_sessions", {}, ToolCaller(namespace))
    return cast("list[dict[str, Any]]", answer["sessions"])


async def held_words(database: Database) -> str:
    """All that is in any table, the index included."""
    tables = [table.name for table in metadata.sorted_tables] + [FULLTEXT_TABLE]
    async with database.read() as tx:
        rows = [row for name in tables for row in (await tx.execute(text(f"SELECT * FROM {name}"))).all()]
    return " ".join(map(str, rows)).lower()
