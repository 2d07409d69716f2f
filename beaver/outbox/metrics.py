"""The ledger in Prometheus's terms, read at each scrape: what stands where, and how long it has waited. Never content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.logs import get_logger
from beaver.outbox.depth import LedgerDepth
from beaver.outbox.heartbeats import HeartbeatStore
from beaver.outbox.states import State
from beaver.outbox.store import OutboxStore
from beaver.outbox.withdrawals import WithdrawalStore


@dataclass(frozen=True)
class LedgerReading:
    """One look at the ledger. `ready` turns wait for nothing but a worker; `oldest_pending_age_ms` is 0 without a pending one;
    `withdrawals`: messages that were deleted here and that the Gateway is yet to forget.
    """

    counts: Mapping[State, int]
    oldest_pending_age_ms: int
    ready: int
    workers_alive: int
    withdrawals: int


async def read_ledger(database: Database, store: OutboxStore, depth: LedgerDepth) -> LedgerReading | None:
    """Look at the ledger; None when the database cannot serve."""
    try:
        stats = await depth.stats()
        async with database.read() as tx:
            ready = await store.count_ready(tx)
            alive = await HeartbeatStore(database.dialect).live_workers(tx)
            withdrawals = await WithdrawalStore(database.dialect).count(tx)
    except Unavailable as error:
        get_logger().warning("metrics.ledger_unreadable", reason=str(error))
        return None
    return LedgerReading(stats.counts, stats.oldest_pending_age_ms or 0, ready, len(alive), withdrawals)


def ledger_metrics(reading: LedgerReading | None) -> Iterator[Metric]:
    """The families of one reading. Without one only `beaver_ledger_up 0`: a depth that is not known must not look like none."""
    yield _gauge("beaver_ledger_up", "Whether the ledger could be read for this scrape.", reading is not None)
    if reading is None:
        return
    depth = GaugeMetricFamily("beaver_outbox_turns", "Turns in the ledger by state.", labels=["state"])
    for state, count in reading.counts.items():
        depth.add_metric([state], count)
    yield depth
    yield _gauge("beaver_outbox_ready", "Turns that wait for nothing but a worker.", reading.ready)
    yield _gauge(
        "beaver_outbox_oldest_pending_age_seconds",
        "Age of the oldest pending turn; 0 without one.",
        reading.oldest_pending_age_ms / 1000,
    )
    yield _gauge(
        "beaver_workers_alive", "Workers that said within the last 15 s that they live.", reading.workers_alive
    )
    yield _gauge(
        "beaver_withdrawals_waiting",
        "Messages that were deleted here and that the Gateway is yet to forget.",
        reading.withdrawals,
    )


def ledger_exposition(reading: LedgerReading | None) -> bytes:
    """A reading alone as Prometheus's text format."""
    registry = CollectorRegistry()
    registry.register(_Read(reading))
    return generate_latest(registry)


class _Read(Collector):
    def __init__(self, reading: LedgerReading | None) -> None:
        self._reading = reading

    def collect(self) -> Iterator[Metric]:
        return ledger_metrics(self._reading)


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value=value)
