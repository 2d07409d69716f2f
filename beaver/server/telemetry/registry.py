"""The counts of one chat server, and how Prometheus reads them."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest

from beaver.server.telemetry.peers import PeerMetrics
from beaver.server.telemetry.recall import RecallMetrics
from beaver.server.telemetry.requests import RequestMetrics
from beaver.server.telemetry.runs import RunMetrics


class Telemetry:
    """All families of one process, in a registry of its own. Cheap to update; nothing is written before it is read."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = RequestMetrics(self._registry)
        self.runs = RunMetrics(self._registry)
        self.peers = PeerMetrics(self._registry)
        self.recall = RecallMetrics(self._registry)
        ProcessCollector(registry=self._registry)

    def exposition(self) -> bytes:
        """Everything as Prometheus's text format."""
        return generate_latest(self._registry)
