"""A run is either refused before it began or ended after it, whatever ended it; what the loop raises comes out unchanged."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from prometheus_client import CollectorRegistry

from beaver.agent.loop import AgentLoop
from beaver.agent.results import Emit, RunRequest, RunStarted, tell_nobody
from beaver.errors import Conflict
from beaver.server.telemetry.runs import MeasuredLoop, RunMetrics

REFUSED = "beaver_runs_refused_total"
ENDED = "beaver_runs_ended_total"


class Raises:
    """A loop whose run ends badly, before or after it has begun."""

    def __init__(self, error: BaseException, *, begun: bool) -> None:
        self._error = error
        self._begun = begun

    async def run(self, _request: RunRequest, emit: Emit) -> Any:
        if self._begun:
            await emit(RunStarted("run_1", "s-1"))
        raise self._error


@pytest.mark.parametrize(
    ("error", "begun", "name", "labels"),
    [
        (Conflict("the session is busy"), False, REFUSED, {"reason": "conflict"}),
        (Conflict("the lease is lost"), True, ENDED, {"stop_reason": "error", "error": "conflict"}),
        (ZeroDivisionError(), False, ENDED, {"stop_reason": "error", "error": "internal"}),
        (ZeroDivisionError(), True, ENDED, {"stop_reason": "error", "error": "internal"}),
        (asyncio.CancelledError(), True, ENDED, {"stop_reason": "interrupted", "error": "none"}),
    ],
)
async def test_what_a_run_raises_is_counted_once_and_raised(
    error: BaseException, begun: bool, name: str, labels: dict[str, str]
) -> None:
    registry = CollectorRegistry()
    loop = MeasuredLoop(cast(AgentLoop, Raises(error, begun=begun)), RunMetrics(registry))
    with pytest.raises(type(error)) as raised:
        await loop.run(RunRequest("Hello"), tell_nobody)
    assert raised.value is error
    counted = [sample for family in registry.collect() for sample in family.samples if sample.name in (REFUSED, ENDED)]
    assert [(sample.name, sample.labels, sample.value) for sample in counted] == [(name, labels, 1)]
    assert registry.get_sample_value("beaver_runs_in_flight") == 0
