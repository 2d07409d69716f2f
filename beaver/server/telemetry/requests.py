"""Requests: how many, how they ended, how long they took, and which streams are open."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from beaver.server.telemetry.buckets import SECONDS

UNMATCHED: Final = "unmatched"
"""The route's label for paths that the server does not know: a path never becomes a label."""


class RequestMetrics:
    """The families of the requests. Routes are templates, methods those of HTTP and `other`."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "beaver_http_requests",
            "Requests that have ended, by status; 499: the client left before an answer; 0: the server stopped before one.",
            ["method", "route", "status"],
            registry=registry,
        )
        self._seconds = Histogram(
            "beaver_http_request_seconds",
            "Duration of the requests, streams to their end.",
            ["method", "route"],
            buckets=SECONDS,
            registry=registry,
        )
        self._under_way = Gauge(
            "beaver_http_requests_in_flight", "Requests under way now, open streams too.", registry=registry
        )
        self._streams = Gauge("beaver_http_streams_open", "Streams that are open now.", registry=registry)

    def began(self) -> None:
        """A request came in."""
        self._under_way.inc()

    def stream_opened(self) -> None:
        """The answer to a request has begun as a stream."""
        self._streams.inc()

    def ended(self, method: str, route: str | None, status: int, seconds: float, *, streamed: bool) -> None:
        """A request is over; `streamed` if `stream_opened` was called for it."""
        self._under_way.dec()
        if streamed:
            self._streams.dec()
        self._requests.labels(method, route or UNMATCHED, str(status)).inc()
        self._seconds.labels(method, route or UNMATCHED).observe(seconds)
