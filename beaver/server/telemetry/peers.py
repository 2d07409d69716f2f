"""What runs ask of others: the provider's calls, recalls from the Gateway, rings for the queue."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

from beaver.agent.observer import RECALLS, Recall
from beaver.server.telemetry.buckets import SECONDS


class PeerMetrics:
    """The families of an engine's peers: an EngineObserver that counts."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._calls = Histogram(
            "beaver_provider_call_seconds",
            "Duration of the provider's calls to the end of their stream, by how they ended.",
            ["outcome"],
            buckets=SECONDS,
            registry=registry,
        )
        self._recalls = Histogram(
            "beaver_recall_seconds",
            "Duration of the searches of the Gateway before runs, by what they found.",
            ["outcome"],
            buckets=SECONDS,
            registry=registry,
        )
        self._rings = Counter(
            "beaver_queue_rings",
            "Rings for committed turns, by whether the queue took them; the relay repeats failed ones.",
            ["outcome"],
            registry=registry,
        )
        # There from the first scrape on: an alarm on a rate must see the step from 0 to 1.
        for found in RECALLS:
            self._recalls.labels(found)
        for outcome in ("queued", "failed"):
            self._rings.labels(outcome)

    def provider_called(self, seconds: float, outcome: str) -> None:
        """A call of the provider is over."""
        self._calls.labels(outcome).observe(seconds)

    def recalled(self, seconds: float, found: Recall) -> None:
        """A search of the Gateway is over."""
        self._recalls.labels(found).observe(seconds)

    def rang(self, *, queued: bool) -> None:
        """The queue was rung for a turn."""
        self._rings.labels("queued" if queued else "failed").inc()
