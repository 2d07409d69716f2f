"""What a worker process counts, and the small HTTP server that tells Prometheus. Labels are names of ours, never content."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, Final, Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, start_http_server
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from beaver.config.settings import WorkerSettings
from beaver.db.engine import Database
from beaver.logs import get_logger
from beaver.outbox.depth import LedgerDepth
from beaver.outbox.metrics import LedgerReading, ledger_metrics, read_ledger
from beaver.outbox.states import State
from beaver.outbox.store import OutboxStore

SCRAPE_S: Final = 5.0
_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class WorkerMetrics:
    """The counts of one process, in a registry of its own. Cheap to update; nothing is served before `serving_metrics`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.in_flight = 0
        self._outcomes = Counter(
            "beaver_persist_outcomes",
            "Turns that this process brought to an end, by state and why.",
            ["state", "category"],
            registry=self.registry,
        )
        self._calls = Histogram(
            "beaver_gateway_call_seconds",
            "Duration of the calls of the Gateway, failed ones too.",
            ["operation"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.claims_lost = self._counter(
            "beaver_claims_lost", "Moves refused since another process had the turn by then."
        )
        self.sweep_faults = self._counter("beaver_sweep_faults", "Sweeps that failed.")
        self.heartbeat_faults = self._counter("beaver_heartbeat_faults", "Heartbeats that could not be written.")
        flying = Gauge("beaver_turns_in_flight", "Turns this process works on now.", registry=self.registry)
        flying.set_function(lambda: self.in_flight)
        ProcessCollector(registry=self.registry)

    def ended(self, state: State, category: str | None, count: int = 1) -> None:
        """Turns came to an end."""
        self._outcomes.labels(state, category or "none").inc(count)

    @contextmanager
    def flight(self) -> Iterator[None]:
        """A turn is being worked on."""
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1

    @contextmanager
    def call(self, operation: Literal["add", "flush"]) -> Iterator[None]:
        """A call of the Gateway is under way."""
        started = time.monotonic()
        try:
            yield
        finally:
            self._calls.labels(operation).observe(time.monotonic() - started)

    def _counter(self, name: str, meaning: str) -> Counter:
        return Counter(name, meaning, registry=self.registry)


@asynccontextmanager
async def serving_metrics(
    settings: WorkerSettings, metrics: WorkerMetrics, database: Database, store: OutboxStore
) -> AsyncIterator[None]:
    """Serve /metrics beside whatever runs inside, if a port is configured.

    A port that cannot be had is logged and no more: two workers of one host may share a configuration, and turns matter more.
    """
    if settings.metrics_port is None:
        yield
        return
    depth = LedgerDepth(database)
    read = partial(read_ledger, database, store, depth)
    metrics.registry.register(_LedgerCollector(asyncio.get_running_loop(), read))
    host, port = settings.metrics_host, settings.metrics_port
    try:
        # In a thread: it asks for the host's full name, which may mean to wait for a name server.
        server, _ = await asyncio.to_thread(start_http_server, port, host, metrics.registry)
    except OSError as error:
        get_logger().warning("metrics.not_served", host=host, port=port, reason=type(error).__name__)
        yield
        return
    get_logger().info("metrics.serving", host=host, port=port)
    try:
        yield
    finally:
        await asyncio.to_thread(server.shutdown)
        server.server_close()
        await depth.aclose()


class _LedgerCollector(Collector):
    """Reads the ledger for a scrape: called in the server's thread, it asks the loop, which owns the database."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, read: Callable[[], Coroutine[Any, Any, LedgerReading | None]]
    ) -> None:
        self._loop = loop
        self._read = read

    def collect(self) -> Iterator[Metric]:
        """The ledger's families; what cannot be had in time is said to be down."""
        asked = asyncio.run_coroutine_threadsafe(self._read(), self._loop)
        return ledger_metrics(_within_bound(asked))


def _within_bound(asked: Future[LedgerReading | None]) -> LedgerReading | None:
    try:
        return asked.result(SCRAPE_S)
    except FutureTimeout:
        asked.cancel()
        return None
