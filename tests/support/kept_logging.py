"""Puts the process's logging back as it was, for tests that configure it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog


@contextmanager
def kept_logging() -> Iterator[None]:
    """Restore the root logger's handlers, every logger's level, and structlog's configuration, at the end."""
    root = logging.getLogger()
    handlers, levels = list(root.handlers), _levels()
    try:
        yield
    finally:
        root.handlers[:] = handlers
        for name in _levels():
            logging.getLogger(name).setLevel(levels.get(name, logging.NOTSET))
        structlog.reset_defaults()


def _levels() -> dict[str, int]:
    loggers = (name for name, each in logging.root.manager.loggerDict.items() if isinstance(each, logging.Logger))
    return {name: logging.getLogger(name).level for name in ("root", *loggers)}
