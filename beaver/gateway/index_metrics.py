"""What searches keep in memory, for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from beaver.memory.retrieval.index.memory_index import IndexFigures


class IndexMetrics(Collector):
    """Tells the figures that it was given last."""

    def __init__(self) -> None:
        self.figures: IndexFigures | None = None

    def collect(self) -> Iterator[Metric]:
        """The figures as metrics."""
        figures = self.figures
        if figures is None:
            return
        yield GaugeMetricFamily(
            "beaver_gateway_index_bytes", "Memory that searches keep of namespaces.", value=figures.bytes
        )
        yield GaugeMetricFamily(
            "beaver_gateway_index_namespaces", "Namespaces that searches keep.", value=figures.namespaces
        )
        reads = CounterMetricFamily(
            "beaver_gateway_index_reads",
            "Times that a search read a namespace: whole, or what was new. Many whole ones: indexMegabytes is too small.",
            labels=["what"],
        )
        reads.add_metric(["whole"], figures.read_whole)
        reads.add_metric(["new"], figures.read_new)
        yield reads
