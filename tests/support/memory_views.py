"""What an engine remembers, through the doors that the product has: as a person reads it, and as the tools show it."""

from __future__ import annotations

from typing import Any, cast

from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import Observation
from beaver.memory.runtime import MemoryRuntime
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
