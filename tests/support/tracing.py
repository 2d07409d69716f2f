"""A recording stand-in for OpenTelemetry's SDK, over its real API."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags


class RecordedSpan(NonRecordingSpan):
    """A span that keeps everything it is told."""

    def __init__(self, name: str, context: SpanContext, parent: SpanContext, attributes: Mapping[str, Any]) -> None:
        super().__init__(context)
        self.name = name
        self.parent = parent
        self.kind = trace.SpanKind.INTERNAL
        self.attributes = dict(attributes)
        self.told: list[Any] = []

    def is_recording(self) -> bool:
        return True

    def set_attribute(self, key: str, value: Any) -> None:
        self.attributes[key] = value

    def set_status(self, status: Any, description: str | None = None) -> None:
        self.told.append((status, description))

    def record_exception(self, exception: BaseException, *_: Any, **__: Any) -> None:
        self.told.append(exception)

    @property
    def traceparent(self) -> str:
        """What a call made inside this span should carry."""
        context = self.get_span_context()
        return f"00-{context.trace_id:032x}-{context.span_id:016x}-01"


class RecordingTracing(trace.TracerProvider, trace.Tracer):
    """Both provider and tracer; `spans` are in the order of their start."""

    def __init__(self) -> None:
        self.spans: list[RecordedSpan] = []
        self._numbers = itertools.count(1)

    def get_tracer(self, *_: Any, **__: Any) -> trace.Tracer:
        return self

    def start_span(
        self, name: str, context: Context | None = None, *_: Any, attributes: Any = None, **__: Any
    ) -> RecordedSpan:
        parent = trace.get_current_span(context).get_span_context()
        number = next(self._numbers)
        trace_id = parent.trace_id if parent.is_valid else 0xABC0 + number
        made = SpanContext(trace_id, 0xD0 + number, False, TraceFlags(1), parent.trace_state)
        self.spans.append(RecordedSpan(name, made, parent, attributes or {}))
        return self.spans[-1]

    @contextmanager
    def _current(self, name: str, context: Context | None = None, **options: Any) -> Iterator[trace.Span]:
        span = self.start_span(name, context, attributes=options.get("attributes"))
        span.kind = options.get("kind", span.kind)
        recorded = {key: options.get(key, True) for key in ("record_exception", "set_status_on_exception")}
        with trace.use_span(span, end_on_exit=True, **recorded):
            yield span

    start_as_current_span = _current  # type: ignore[assignment]

    def named(self, name: str) -> RecordedSpan:
        """The only span of that name."""
        (found,) = (span for span in self.spans if span.name == name)
        return found
