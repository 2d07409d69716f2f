"""Processes that start within milliseconds: forked from a server that has everything imported, so that many may die."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

_FORKED = multiprocessing.get_context("forkserver")
_WORKER = ("worker.__main__", "worker.parts", "worker.persist")
_CHAT = ("beaver.server.serve", "beaver.agent.providers.scripted")
# What processes import only once they run.
_LATE = ("alembic.command", "aiosqlite", "asyncpg", "uvicorn.protocols.http.httptools_impl", "uvicorn.lifespan.on")
# What commands import only once they run; what they are for is imported with the chat server.
_COMMANDS = ("beaver.cli.main", "beaver.cli.talk.opening", "beaver.cli.shortfalls", "beaver.embedded.instance")
PRELOADED = (*_WORKER, *_CHAT, *_LATE, *_COMMANDS)
_FORKED.set_forkserver_preload(["__main__", *PRELOADED])

Program = Callable[[Sequence[str]], int]
"""A module's `main`, by its name: it is called in a process of its own."""


def forked(program: Program, arguments: Sequence[str], log: Path) -> ForkServerProcess:
    """Started; what it writes is added to the log. It ends with this process at the latest."""
    process = _FORKED.Process(target=_run, args=(program, arguments, log), daemon=True)
    process.start()
    return process


def forked_beaver(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], out: Path, err: Path
) -> ForkServerProcess:
    """`beaver`, started as from a shell in that folder, in a session of its own; it writes to the end of the two files."""
    given = (list(arguments), folder, dict(environment), out, err)
    process = _FORKED.Process(target=_run_beaver, args=given, daemon=True)
    process.start()
    return process


def _run(program: Program, arguments: Sequence[str], log: Path) -> None:
    _write_to(log, log)
    sys.exit(program(arguments))


def _run_beaver(arguments: list[str], folder: Path, environment: dict[str, str], out: Path, err: Path) -> None:
    from beaver.cli.main import main

    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    _write_to(out, err)
    sys.argv = ["beaver", *arguments]
    main()


def _write_to(out: Path, err: Path) -> None:
    """From now on, with nothing to be read."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for stream, file in ((1, out), (2, err)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), stream)
