"""Worker processes that may be killed, frozen and started again at any moment."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import psutil

from tests.drills import mortal_worker
from tests.support.forking import Program, forked
from tests.support.waiting import wait_until


@dataclass
class MortalWorker:
    """One worker process; as a context manager it never outlives the block. It may be started again after its end."""

    root: Path
    name: str = "worker"
    options: Sequence[str] = ()
    program: Program = mortal_worker.main
    kills: int = 0
    _log_begins: int = field(default=0, init=False)
    _process: ForkServerProcess | None = field(default=None, init=False)

    def __enter__(self) -> MortalWorker:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.is_alive():
            self.thaw()
            self.kill()

    def start(self) -> None:
        """Start it, its log going on where it was."""
        self._log_begins = self.log.stat().st_size if self.log.exists() else 0
        arguments = ["--root", str(self.root), *self.options]
        self._process = forked(self.program, arguments, self.log)

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return self.root / f"{self.name}.log"

    @property
    def process(self) -> ForkServerProcess:
        """The process, once started."""
        assert self._process is not None
        return self._process

    def kill(self) -> None:
        """SIGKILL, and wait."""
        self.kills += 1
        self.process.kill()
        self.process.join(10)

    def freeze(self) -> None:
        """SIGSTOP."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        self._signal(signal.SIGCONT)

    def terminate(self) -> None:
        """SIGTERM; returns at once."""
        self._signal(signal.SIGTERM)

    async def logged(self, event: str, **fields: object) -> None:
        """Wait for an event with these fields in its log."""
        wanted = {"event": event, **fields}

        async def found() -> bool:
            lines = self.log.read_text().splitlines() if self.log.exists() else []
            return any(wanted.items() <= json.loads(line).items() for line in lines if line.startswith("{"))

        await wait_until(found, within_s=40, what=f"{event} {fields} in the log of {self.name}")

    async def came_up(self, event: str) -> None:
        """Wait until it has logged, since its last start, that it is up."""

        async def up() -> bool:
            told = self.log.read_bytes()[self._log_begins :] if self.log.exists() else b""
            return event.encode() in told

        await wait_until(up, within_s=120, what=f"{event} of {self.name} since its last start")

    async def stopped(self) -> None:
        """Wait until it stands still."""

        async def still() -> bool:
            return psutil.Process(self.process.pid).status() == psutil.STATUS_STOPPED

        await wait_until(still, within_s=40, what=f"{self.name} to stand still")

    async def died(self) -> None:
        """Wait until it has been killed."""
        assert await self.ended() == -signal.SIGKILL, self.log.read_text()[-3000:]

    async def ended(self) -> int:
        """Wait for its end; the exit code."""

        async def over() -> bool:
            return not self.process.is_alive()

        await wait_until(over, within_s=60, what=f"the end of {self.name}")
        code = self.process.exitcode
        assert code is not None
        return code

    def _signal(self, number: int) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, number)
