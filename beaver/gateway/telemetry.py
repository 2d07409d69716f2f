"""What the Gateway tells of each call: a log line, counts for Prometheus, a span. Names, codes and figures; never content, never
whose it was: a user's id may be somebody's address.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import structlog
from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest

from beaver.errors import BeaverError
from beaver.gateway.answers import Answer
from beaver.gateway.auth import Caller
from beaver.gateway.encoding_metrics import EncodingMetrics
from beaver.gateway.index_metrics import IndexMetrics
from beaver.logs import get_logger
from beaver.memory.embedding.figures import EncodingFigures
from beaver.memory.retrieval.index.memory_index import IndexFigures
from beaver.schemas.gateway import AddReceipt, FlushReceipt, MemoryList, SearchResponse
from beaver.schemas.memory_past import ArchiveList
from beaver.schemas.memory_tools import PromptIndexAnswer, ToolAnswer
from beaver.tracing import known_traceparent, note, request_span

Figures = Mapping[str, int | str | bool]
UNEXPECTED: Final = "internal"
LEFT: Final = "left"
"""The caller was gone before there was an answer."""
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Seen:
    """How one call ends; until it is told, as a fault of ours."""

    def __init__(self) -> None:
        self.outcome = UNEXPECTED
        self.figures: Figures = {}

    def answered(self, answer: Answer) -> None:
        """With an answer."""
        self.outcome, self.figures = "ok", figures_of(answer)

    def refused(self, error: BeaverError) -> None:
        """With an error that the caller is told."""
        self.outcome = error.code

    def left(self) -> None:
        """Without anybody who waits for an answer."""
        self.outcome = LEFT


class Telemetry:
    """The counts of one process, in a registry of its own; cheap to update, written when they are read."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._calls = Counter(
            "beaver_gateway_calls",
            "Calls that have ended, by operation and outcome: ok, an error's code, or left.",
            ["operation", "outcome"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "beaver_gateway_call_seconds",
            "Duration of the calls.",
            ["operation"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._figures = Counter(
            "beaver_gateway_handled",
            "What the calls handled: messages added and flushed, observations captured, memories found.",
            ["operation", "what"],
            registry=self._registry,
        )
        self._searches = Counter(
            "beaver_gateway_searches",
            "Searches that found something, by what the best was found: pieces, vectors, words, full text, time.",
            ["by"],
            registry=self._registry,
        )
        ProcessCollector(registry=self._registry)
        self._encoding = EncodingMetrics()
        self._registry.register(self._encoding)
        self._index = IndexMetrics()
        self._registry.register(self._index)

    @contextmanager
    def watching(self, operation: str, caller: Caller) -> Iterator[Seen]:
        """Around one call: tell the body's end."""
        seen, began_s = Seen(), time.perf_counter()
        with (
            request_span("beaver.gateway", caller.origin, {"beaver.operation": operation}),
            structlog.contextvars.bound_contextvars(request_id=caller.request_id, **_trace_id()),
        ):
            try:
                yield seen
            finally:
                self._tell(operation, seen, time.perf_counter() - began_s)

    def exposition(self, encoding: EncodingFigures | None = None, index: IndexFigures | None = None) -> bytes:
        """Everything as Prometheus's text format, how encoding stands, and what searches keep in memory."""
        self._encoding.figures, self._index.figures = encoding, index
        return generate_latest(self._registry)

    def _tell(self, operation: str, seen: Seen, seconds: float) -> None:
        self._calls.labels(operation, seen.outcome).inc()
        self._seconds.labels(operation).observe(seconds)
        for what, figure in seen.figures.items():
            if what == "by":
                self._searches.labels(str(figure)).inc()
            elif type(figure) is int:
                self._figures.labels(operation, what).inc(figure)
        note({"beaver.outcome": seen.outcome}, failed=seen.outcome == UNEXPECTED)
        ms = round(seconds * 1000, 1)
        get_logger().info("gateway.call", operation=operation, outcome=seen.outcome, ms=ms, **seen.figures)


def figures_of(answer: Answer) -> Figures:
    """What an answer tells in figures."""
    match answer:
        case AddReceipt():
            return {"messages": len(answer.message_ids), "duplicated": answer.duplicated}
        case FlushReceipt():
            return {"messages": answer.flushed_messages, "observations": answer.captured}
        case SearchResponse():
            by = (answer.results[0].raw or {}).get("by") if answer.results else None
            return {"memories": len(answer.results), **({} if by is None else {"by": str(by)})}
        case MemoryList():
            return {"memories": len(answer.memories)}
        case ArchiveList():
            return {"memories": len(answer.archived)}
        case PromptIndexAnswer():
            degraded = {"degraded": " ".join(answer.degraded)} if answer.degraded else {}
            return {"observations": answer.observations, "truncated": answer.truncated, **degraded}
        case ToolAnswer():
            return {"tool": answer.tool}
        case _:
            return {}


def _trace_id() -> dict[str, str]:
    known = known_traceparent()
    return {} if known is None else {"trace_id": known.split("-")[1]}  # what stands between the first two dashes
