"""Logs as events: one structured line each on standard error, redacted on the way out.

An event has a stable name and ids as fields; conversation text is never a field. Exceptions are
written as type and place, not as message, since a library's message may quote what it was given.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import time
import traceback
from collections.abc import MutableMapping
from typing import Any, Final, TextIO

import structlog

from beaver.redaction import Redactor
from beaver.text import json_line

_QUIET: Final = (
    "httpx",
    "httpcore",
    "httpx2",
    "httpcore2",
    "arq",
    "aiosqlite",
    "alembic",
    "asyncio",
    "uvicorn.access",
    "openai",
    "anthropic",
)


FOREIGN_LENGTH_MAX: Final = 500
"""Most characters of a library's message."""

MESSAGES_REMEMBERED: Final = 100
"""Of a library that repeats itself."""


def configure_logs(role: str, redactor: Redactor, *, as_json: bool = True, stream: TextIO | None = None) -> None:
    """Send every log line of this process, the libraries' too, through one redacting formatter.

    `role` is put in every line (`chat`, `worker`, `gateway`, `cli`); `stream` defaults to standard error.
    """
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _named_role(role),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer(json_line) if as_json else structlog.dev.ConsoleRenderer(colors=False)
    )
    handler = _QuietHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                _first_line_of_foreign,
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _exception_without_message,
                _plain_values,
                _redacting(redactor),
                renderer,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("asyncio").filters[:] = [_Seldom()]


def get_logger() -> structlog.stdlib.BoundLogger:
    """A logger for events: `get_logger().info("turn.completed", run_id=…)`."""
    logger: structlog.stdlib.BoundLogger = structlog.get_logger()
    return logger


class _Seldom(logging.Filter):
    """Lets the same message through once a second: an event loop without a free file says so thousands of times."""

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is to be written."""
        message, now = str(record.msg)[:FOREIGN_LENGTH_MAX].partition("\n")[0], time.monotonic()
        if now - self._told.get(message, -1.0) < 1.0:
            return False
        if len(self._told) >= MESSAGES_REMEMBERED:
            self._told.clear()
        self._told[message] = now
        return True


class _QuietHandler(logging.StreamHandler[TextIO]):
    """Says that a line could not be written; the standard handler would print the arguments it failed on."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        with contextlib.suppress(OSError, ValueError):
            self.stream.write(f'{{"event": "log.line_failed", "logger": {json.dumps(record.name)}}}\n')


def _named_role(role: str) -> structlog.typing.Processor:
    def add(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        event.setdefault("role", role)
        return event

    return add


def _first_line_of_foreign(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A library's further lines hold representations of tasks and tracebacks, and those may hold conversation text."""
    if not event["_from_structlog"]:
        event["event"] = str(event["event"]).partition("\n")[0][:FOREIGN_LENGTH_MAX]
        event.pop("stack_info", None)
    return event


def _exception_without_message(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    info = event.pop("exc_info", None)
    if info is True:
        info = sys.exc_info()
    if isinstance(info, BaseException):
        info = (type(info), info, info.__traceback__)
    if isinstance(info, tuple) and info[0] is not None:
        frames = traceback.extract_tb(info[2])[-6:]
        event["exception"] = info[0].__name__
        event["at"] = [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}:{frame.name}" for frame in frames]
    return event


def _plain_values(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {key: _plain(value) for key, value in event.items()}


def _plain(value: Any) -> Any:
    """The value as JSON can hold it, so that nothing is turned into text behind the redaction's back."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(item) for item in value]
        case bytes():
            return value.decode(errors="replace")
        case BaseException():
            return type(value).__name__
        case _:
            return str(value)


def _redacting(redactor: Redactor) -> structlog.typing.Processor:
    def redact(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        cleaned: MutableMapping[str, Any] = redactor.deep(dict(event))
        return cleaned

    return redact
