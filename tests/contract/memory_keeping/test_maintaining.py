"""A running Gateway's own maintenance: at its start and now and then, whatever one run comes to."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import structlog

from beaver.config.retention import RetentionSettings
from beaver.errors import Unavailable
from beaver.gateway.maintaining import maintained, policy_of
from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import NewObservation
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.upkeep.policy import DAY_MS, RetentionPolicy, UpkeepReport
from tests.support.memory_engine import engine_with
from tests.support.memory_gateway import MORNING_MS
from tests.support.waiting import wait_until

ADA = Namespace("default", "default", "ada")
OFTEN = RetentionSettings.model_validate({"intervalMinutes": 0.0001})
SELDOM = RetentionSettings()


@pytest.fixture
async def runtime(memory_sqlite_url: str) -> AsyncIterator[MemoryRuntime]:
    """A memory in which something has been unused for longer than it is kept."""
    days = [0]
    async with engine_with(memory_sqlite_url, "ada", clock=lambda: MORNING_MS + days[0] * DAY_MS) as opened:
        await opened.write_observation(ADA, NewObservation("event", "The boiler", facts=("serviced by Hanna",)))
        days[0] = 31
        yield opened


async def _is_archived(runtime: MemoryRuntime) -> bool:
    return len(await runtime.search_archive(ADA, "boiler")) == 1


async def test_a_gateway_maintains_its_memory_when_it_starts(runtime: MemoryRuntime) -> None:
    async with maintained(runtime, SELDOM):
        await wait_until(lambda: _is_archived(runtime), what="the first run's end")


async def test_a_run_that_fails_is_told_and_the_next_one_does_its_work(
    runtime: MemoryRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults, whole = [Unavailable("the database is away"), RuntimeError("a bug")], runtime.maintain

    async def faulty(policy: RetentionPolicy) -> UpkeepReport:
        if faults:
            raise faults.pop(0)
        return await whole(policy)

    monkeypatch.setattr(runtime, "maintain", faulty)
    with structlog.testing.capture_logs() as logged:
        async with maintained(runtime, OFTEN):
            await wait_until(lambda: _is_archived(runtime), what="the run after two that failed")
    failed = [line["reason"] for line in logged if line["event"] == "upkeep.failed"]
    assert failed == ["Unavailable", "RuntimeError"]


async def test_a_gateway_that_stops_leaves_the_next_runner_no_lease_to_wait_for(runtime: MemoryRuntime) -> None:
    async with maintained(runtime, OFTEN):
        pass
    assert (await runtime.maintain(policy_of(SELDOM))).ran


async def test_where_it_is_not_wanted_nothing_is_maintained(
    runtime: MemoryRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = list[None]()

    async def noted(_policy: RetentionPolicy) -> UpkeepReport:
        ran.append(None)
        return UpkeepReport(ran=False)

    monkeypatch.setattr(runtime, "maintain", noted)
    async with maintained(runtime, RetentionSettings.model_validate({"enabled": False})):
        assert await runtime.search_archive(ADA, "boiler") == []
    assert ran == []
