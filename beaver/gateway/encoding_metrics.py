"""How encoding stands, for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from beaver.memory.embedding.figures import EncodingFigures


class EncodingMetrics(Collector):
    """Tells the figures that it was given last; nothing without an encoder."""

    def __init__(self) -> None:
        self.figures: EncodingFigures | None = None

    def collect(self) -> Iterator[Metric]:
        """The figures as metrics."""
        figures = self.figures
        if figures is None:
            return
        yield GaugeMetricFamily(
            "beaver_gateway_encoding_waiting", "Passages without vectors, of the whole database.", value=figures.waiting
        )
        yield GaugeMetricFamily(
            "beaver_gateway_encoding_set_aside", "Passages that the encoder refuses.", value=figures.set_aside
        )
        yield CounterMetricFamily(
            "beaver_gateway_encoded", "Passages that this process gave vectors.", value=figures.encoded
        )
        failures = CounterMetricFamily(
            "beaver_gateway_encoding_failures", "Times that encoding failed, by the error's code.", labels=["reason"]
        )
        for reason, count in figures.failures.items():
            failures.add_metric([reason], count)
        yield failures
