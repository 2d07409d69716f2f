"""Where a trace stands, as a W3C traceparent; and spans, where OpenTelemetry is there to take them.

OpenTelemetry is optional and is never loaded from here: whoever has set it up in this process has loaded it already.
Spans hold ids alone, and of an exception the type's name: its message may quote what was said.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

_NAME: Final = "beaver"


def current_traceparent() -> str:
    """The traceparent of the span that runs now; without one, that of a new trace."""
    return active_traceparent() or fresh_traceparent(secrets.token_bytes(16), secrets.token_bytes(8))


def active_traceparent() -> str | None:
    """The traceparent of the span that runs now, if OpenTelemetry knows of one."""
    trace = _opentelemetry()
    if trace is None:
        return None
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        return None
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags & 0xFF:02x}"


def fresh_traceparent(trace_id: bytes, span_id: bytes) -> str:
    """A sampled traceparent of 16 and 8 random bytes; a peer that follows the flag keeps its side of the trace."""
    return f"00-{trace_id.hex()}-{span_id.hex()}-01"


@contextmanager
def span(name: str, *, parent: str | None = None, **attributes: str) -> Iterator[None]:
    """A span around the body, under `parent` (a traceparent) or else under what runs now; nothing without OpenTelemetry."""
    trace = _opentelemetry()
    if trace is None:
        yield
        return
    tracer = trace.get_tracer(_NAME)
    with tracer.start_as_current_span(
        name,
        context=_parent_context(parent),
        attributes={f"{_NAME}.{key}": value for key, value in attributes.items()},
        record_exception=False,
        set_status_on_exception=False,
    ) as running:
        try:
            yield
        except BaseException as error:
            running.set_attribute("error.type", type(error).__name__)
            running.set_status(trace.StatusCode.ERROR)
            raise


def _opentelemetry() -> ModuleType | None:
    return sys.modules.get("opentelemetry.trace")


def _parent_context(traceparent: str | None) -> Any:
    """OpenTelemetry's context for a traceparent; None, which stands for the current one, where there is nothing to read."""
    if traceparent is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({"traceparent": traceparent})
