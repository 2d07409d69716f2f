"""Observations through the engine's one door, as the Gateway uses it."""

from __future__ import annotations

import pytest

from beaver.errors import NotFound
from beaver.memory.observations.records import ObservationEdit, ObservationFilter
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tools.handlers import ToolCaller
from tests.contract.observations.scene import ADA, learned
from tests.support.memory_views import found_observations, observation


async def test_a_life_of_an_observation(runtime: MemoryRuntime) -> None:
    written = await runtime.write_observation(ADA, learned("Tea", "likes green tea", related_people=("Bo",)))
    made = str(written.observation_id)
    assert written.outcome == "added"

    await runtime.edit_observation(ADA, made, ObservationEdit(facts=("likes black tea",)))
    assert (await runtime.pin_observation(ADA, made, True)).pinned
    assert (await observation(runtime, ADA, made)).facts == ("likes black tea",)
    assert [entry.event for entry in await runtime.observation_history(ADA, made)] == ["ADD", "UPDATE"]
    assert [one["id"] for one in await found_observations(runtime, ADA, "black tea")] == [made]
    page = await runtime.list_observations(ADA, ObservationFilter(people=("bo",)))
    assert [one.id for one in page.observations] == [made]
    assert (await runtime.add_alias(ADA, "Bo", "Robert")).aliases == ("Robert",)
    assert [one.name for one in await runtime.list_people(ADA)] == ["Bo"]

    await runtime.forget_memory(ADA, made)

    with pytest.raises(NotFound):
        await observation(runtime, ADA, made)
    assert (await runtime.list_observations(ADA)).observations == ()
    assert await runtime.list_people(ADA) == []


async def test_tools_are_called_by_name(runtime: MemoryRuntime) -> None:
    caller = ToolCaller(ADA)
    written = await runtime.call_tool("memory_write", {"type": "event", "title": "Went to Rome"}, caller)
    found = await runtime.call_tool("memory_search", {"query": "Rome"}, caller)
    assert [one["id"] for one in found["results"]] == [written["id"]]
    around = await runtime.call_tool("memory_timeline", {"id": written["id"]}, caller)
    assert (around["before"], around["anchor"]["id"], around["after"]) == ([], written["id"], [])
