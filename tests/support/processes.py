"""A process on an instance of its own: started, again too, read through its log, frozen, killed or told to stop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, Protocol

import psutil

from tests.support.forking import Program, forked
from tests.support.waiting import wait_until
from worker.__main__ import main as worker_main


class Child(Protocol):
    """A process of ours, as `subprocess.Popen` tells of it."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None:
        """The exit code of one that has ended, the signal below zero."""

    def wait(self, timeout: float) -> int: ...

    def kill(self) -> None:
        """SIGKILL, unless it has ended."""


Start = Callable[[Path, Path], Child]
"""Starts a process on the instance in a folder; what it writes is added to a log."""


def forking(main: Program, *options: str) -> Start:
    """A module's `main` in a process that is forked, within milliseconds."""
    return lambda root, log: Forked(forked(main, ["--root", str(root), *options], log))


def launching(*arguments: str) -> Start:
    """A command, started as an operator does."""

    def launched(root: Path, log: Path) -> Child:
        environment = {**os.environ, "BEAVER_ROOT": str(root)}
        with log.open("ab") as to:
            return subprocess.Popen(
                arguments, env=environment, stdin=subprocess.DEVNULL, stdout=to, stderr=to, start_new_session=True
            )

    return launched


FORKED_WORKER = forking(worker_main)
WORKER = launching(sys.executable, "-m", "worker")
ARQ_COMMAND = (sys.executable, "-c", "from arq.cli import cli; cli()", "worker.app.WorkerSettings")
ARQ = launching(*ARQ_COMMAND)


@dataclass
class InstanceProcess:
    """One process, a worker unless it is told how to start; as a context manager it never outlives the block.

    What it logs is looked for from its last start on.
    """

    root: Path
    name: str = "worker"
    how: Start = FORKED_WORKER
    heard_within_s: float = 30
    ended_within_s: float = 30
    _child: Child | None = field(default=None, init=False)
    _log_begins: int = field(default=0, init=False)

    def __enter__(self) -> InstanceProcess:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.child.kill()
        self.child.wait(10)

    def start(self) -> None:
        """Start it, its log going on where it was."""
        self.log.touch()
        self._log_begins = self.log.stat().st_size
        self._child = self.how(self.root, self.log)

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return self.root / f"{self.name}.log"

    @property
    def child(self) -> Child:
        """The process, once started."""
        assert self._child is not None
        return self._child

    @property
    def pid(self) -> int:
        """Its number, once started."""
        return self.child.pid

    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self.child.poll() is None

    def terminate(self) -> None:
        """SIGTERM; returns at once."""
        os.kill(self.pid, signal.SIGTERM)

    def freeze(self) -> None:
        """SIGSTOP."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL, and wait."""
        os.kill(self.pid, signal.SIGKILL)
        self.child.wait(10)

    def events(self) -> list[dict[str, Any]]:
        """Its log, line by line."""
        return [json.loads(line) for line in self.said().splitlines() if line.startswith("{")]

    def said(self) -> str:
        """Its log as it stands."""
        return self.log.read_bytes()[self._log_begins :].decode()

    async def logged(self, event: str, **fields: object) -> dict[str, Any]:
        """Wait for an event with these fields in its log."""

        async def found() -> dict[str, Any] | None:
            wanted = {"event": event, **fields}
            return next((each for each in self.events() if wanted.items() <= each.items()), None)

        seen = await wait_until(found, within_s=self.heard_within_s, what=f"{event} {fields} in {self.said()[-2000:]}")
        assert seen is not None
        return seen

    async def came_up(self, words: str) -> None:
        """Wait until it has told, in any form, that it is up."""

        async def up() -> bool:
            return words in self.said()

        await wait_until(up, within_s=120, what=f"{words} of {self.name} since its last start")

    async def stopped(self) -> None:
        """Wait until it stands still."""

        async def still() -> bool:
            return psutil.Process(self.pid).status() == psutil.STATUS_STOPPED

        await wait_until(still, within_s=self.heard_within_s, what=f"{self.name} to stand still")

    async def died(self) -> None:
        """Wait until it has been killed."""
        assert await self.ended() == -signal.SIGKILL, self.said()[-3000:]

    async def ended(self) -> int:
        """Wait for its end; the exit code."""

        async def code() -> tuple[int] | None:
            ended = self.child.poll()
            return None if ended is None else (ended,)

        what = f"the end of {self.name}: {self.said()[-2000:]}"
        found = await wait_until(code, within_s=self.ended_within_s, what=what)
        assert found is not None
        return found[0]


@dataclass(frozen=True)
class Forked:
    """One that is forked, as a Child."""

    process: ForkServerProcess

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self, timeout: float) -> int:
        self.process.join(timeout)
        code = self.process.exitcode
        assert code is not None, f"{self.process.name} did not end within {timeout} s"
        return code

    def kill(self) -> None:
        self.process.kill()
