"""Runs: under way, how they ended, how long they took to their first word and to their end."""

from __future__ import annotations

import time
from asyncio import CancelledError
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from beaver.agent.loop import AgentLoop
from beaver.agent.messages import TextDelta
from beaver.agent.results import AgentRunResult, Emit, RunEvent, RunRequest, RunStarted, StopReason
from beaver.errors import BeaverError
from beaver.server.telemetry.buckets import SECONDS

_NO_ERROR: Final = "none"


class RunMetrics:
    """The families of the runs of this process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.under_way = Gauge(
            "beaver_runs_in_flight", "Runs under way now, those that wait for their session too.", registry=registry
        )
        self._ended = Counter(
            "beaver_runs_ended",
            "Runs that have ended, by why they stopped and the code of their error.",
            ["stop_reason", "error"],
            registry=registry,
        )
        self._refused = Counter(
            "beaver_runs_refused", "Runs that were refused before they began, by why.", ["reason"], registry=registry
        )
        self._first_word = Histogram(
            "beaver_run_first_token_seconds",
            "From a run's start, the wait for its session included, to the first piece of its text.",
            buckets=SECONDS,
            registry=registry,
        )
        self._seconds = Histogram(
            "beaver_run_seconds", "Duration of the runs that have ended.", buckets=SECONDS, registry=registry
        )

    def refused(self, reason: str) -> None:
        """A run was not begun; `reason` is an error's code, or an asker's limit: `rate_limit`, `runs_per_key`."""
        self._refused.labels(reason).inc()

    def spoke(self, seconds: float) -> None:
        """The first piece of a run's text is there, so long after the run's start."""
        self._first_word.observe(seconds)

    def ended(self, stop_reason: StopReason, error: str | None, seconds: float) -> None:
        """A run that had begun is over."""
        self._ended.labels(stop_reason, error or _NO_ERROR).inc()
        self._seconds.observe(seconds)


class MeasuredLoop:
    """An agent loop whose runs are counted; what it returns, raises and tells is the loop's own."""

    def __init__(self, loop: AgentLoop, metrics: RunMetrics) -> None:
        self._loop = loop
        self._metrics = metrics

    def check(self, request: RunRequest) -> None:
        """Refuse what the loop would never run."""
        self._loop.check(request)

    async def run(self, request: RunRequest, emit: Emit) -> AgentRunResult:
        """Answer one prompt."""
        watch = _Watch(self._metrics, emit)
        with self._metrics.under_way.track_inprogress():
            try:
                result = await self._loop.run(request, watch.tell)
            except BaseException as error:
                watch.failed(error)
                raise
            watch.ended(result.stop_reason, result.error)
            return result


class _Watch:
    """One run's clock, and how far the run has come."""

    def __init__(self, metrics: RunMetrics, emit: Emit) -> None:
        self._metrics = metrics
        self._emit = emit
        self._started_at = time.monotonic()
        self._begun = False
        self._spoken = False

    async def tell(self, event: RunEvent) -> None:
        self._begun = self._begun or isinstance(event, RunStarted)
        if isinstance(event, TextDelta) and not self._spoken:
            self._spoken = True
            self._metrics.spoke(self._passed_s())
        await self._emit(event)

    def failed(self, error: BaseException) -> None:
        if isinstance(error, CancelledError):
            self.ended("interrupted", None)
        elif isinstance(error, BeaverError) and not self._begun:
            self._metrics.refused(error.code)
        else:
            self.ended("error", error.code if isinstance(error, BeaverError) else "internal")

    def ended(self, stop_reason: StopReason, error: str | None) -> None:
        self._metrics.ended(stop_reason, error, self._passed_s())

    def _passed_s(self) -> float:
        return time.monotonic() - self._started_at
