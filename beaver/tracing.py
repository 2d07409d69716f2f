"""Where a trace stands, as a W3C traceparent; and spans, where OpenTelemetry is there to take them.

OpenTelemetry is optional and is never loaded from here: whoever has set it up in this process has loaded it already.
Without it, what a caller said of its trace is carried on as it came.
Spans hold ids alone, and of an exception the type's name: its message may quote what was said.
"""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final, Literal

_NAME: Final = "beaver"
TRACESTATE_CHARS_MAX: Final = 512
_TRACESTATE_MEMBERS_MAX: Final = 32
_TRACEPARENT: Final = re.compile(
    r"(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-[!-~]*)?"
)
# Without this check OpenTelemetry would quote a bad member in a log line.
_TRACESTATE_MEMBER: Final = re.compile(
    r"(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=[!-+\--<>-~]{1,256}"
)
# The flags that version 00 knows: sampled, random.
_FLAGS: Final = 0b11


@dataclass(frozen=True)
class Origin:
    """The trace that a caller is in: a valid traceparent, and what goes with it (a valid tracestate, or None)."""

    traceparent: str
    tracestate: str | None = None


_ORIGIN: Final[ContextVar[Origin | None]] = ContextVar("beaver_trace_origin", default=None)


def read_origin(traceparents: Sequence[str], tracestates: Sequence[str] = ()) -> Origin | None:
    """What the headers of these names say. None without exactly one valid traceparent; a tracestate with a fault is dropped."""
    found = _TRACEPARENT.fullmatch(traceparents[0].strip(" \t")) if len(traceparents) == 1 else None
    if found is None or (found[1] == "00" and found[4] is not None):
        return None
    return Origin(f"00-{found[2]}-{int(found[3], 16) & _FLAGS:02x}", _tracestate(",".join(tracestates)))


def current_traceparent() -> str:
    """The traceparent of the span that runs now, or of the caller of this request; without either, that of a new trace."""
    return known_traceparent() or fresh_traceparent(secrets.token_bytes(16), secrets.token_bytes(8))


def known_traceparent() -> str | None:
    """The same, and None where it would be a new trace."""
    origin = _ORIGIN.get()
    return active_traceparent() or (None if origin is None else origin.traceparent)


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
    named = {f"{_NAME}.{key}": value for key, value in attributes.items()}
    with _span(name, "INTERNAL", None if parent is None else Origin(parent), named):
        yield


@contextmanager
def request_span(name: str, origin: Origin | None, attributes: Mapping[str, str]) -> Iterator[None]:
    """A server's span around the answering of one request, in its caller's trace if there is one.

    Also without OpenTelemetry, what is done in the body, and in tasks that begin there, belongs to the caller's trace.
    """
    before = _ORIGIN.set(origin)
    try:
        with _span(name, "SERVER", origin, attributes):
            yield
    finally:
        _ORIGIN.reset(before)


def note(attributes: Mapping[str, str | int], *, failed: bool = False) -> None:
    """Say more of the span that runs now, and whether it failed; nothing without OpenTelemetry."""
    trace = _opentelemetry()
    if trace is None:
        return
    running = trace.get_current_span()
    for name, value in attributes.items():
        running.set_attribute(name, value)
    if failed:
        running.set_status(trace.StatusCode.ERROR)


@contextmanager
def _span(
    name: str, kind: Literal["INTERNAL", "SERVER"], origin: Origin | None, attributes: Mapping[str, str]
) -> Iterator[None]:
    trace = _opentelemetry()
    if trace is None:
        yield
        return
    tracer = trace.get_tracer(_NAME)
    with tracer.start_as_current_span(
        name,
        context=_parent_context(origin),
        kind=trace.SpanKind[kind],
        attributes=attributes,
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


def _parent_context(origin: Origin | None) -> Any:
    """OpenTelemetry's context for an origin; None, which stands for the current one, where there is nothing to read."""
    if origin is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    state = {} if origin.tracestate is None else {"tracestate": origin.tracestate}
    return TraceContextTextMapPropagator().extract({"traceparent": origin.traceparent, **state})


def _tracestate(joined: str) -> str | None:
    members = [member for part in joined.split(",") if (member := part.strip(" \t"))]
    if not members or len(members) > _TRACESTATE_MEMBERS_MAX or len(joined) > TRACESTATE_CHARS_MAX:
        return None
    return ",".join(members) if all(map(_TRACESTATE_MEMBER.fullmatch, members)) else None
