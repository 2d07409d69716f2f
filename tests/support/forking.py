"""Processes that start within milliseconds: forked from a server that has everything imported, so that many may die."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

_FORKED = multiprocessing.get_context("forkserver")
_WORKER = ("worker.__main__", "worker.parts", "worker.persist")
_CHAT = ("beaver.server.serve", "beaver.agent.providers.scripted")
# What processes import only once they run.
_LATE = ("alembic.command", "aiosqlite", "asyncpg", "uvicorn.protocols.http.httptools_impl", "uvicorn.lifespan.on")
PRELOADED = (*_WORKER, *_CHAT, *_LATE)
_FORKED.set_forkserver_preload(["__main__", *PRELOADED])

Program = Callable[[Sequence[str]], int]
"""A module's `main`, by its name: it is called in a process of its own."""


def forked(program: Program, arguments: Sequence[str], log: Path) -> ForkServerProcess:
    """Started; what it writes is added to the log. It ends with this process at the latest."""
    process = _FORKED.Process(target=_run, args=(program, arguments, log), daemon=True)
    process.start()
    return process


def _run(program: Program, arguments: Sequence[str], log: Path) -> None:
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(written, stream)
    sys.exit(program(arguments))
