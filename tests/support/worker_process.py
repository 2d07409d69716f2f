"""A real worker process on an instance of its own: started, read through its log, killed or told to stop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from tests.support.forking import forked
from tests.support.ledger import USER_KEY
from tests.support.waiting import wait_until
from worker.__main__ import main as worker_main

WORKER = (sys.executable, "-m", "worker")
ARQ = (sys.executable, "-c", "from arq.cli import cli; cli()", "worker.app.WorkerSettings")


def write_instance(
    root: Path,
    *,
    database_url: str,
    redis_url: str,
    gateway_url: str | None,
    gateway: Mapping[str, Any] | None = None,
    worker: Mapping[str, Any] | None = None,
    queue: Mapping[str, Any] | None = None,
) -> Path:
    """A configuration for a worker, in a folder of its own; without a Gateway URL the plan is `curated`."""
    config: dict[str, Any] = {
        "sessions": {"databaseUrl": database_url},
        "queue": {"redisUrl": redis_url, **(queue or {})},
        "worker": {"sweepSeconds": 0.3, "drainSeconds": 20, **(worker or {})},
        "memory": {"mode": "curated"},
    }
    if gateway_url is not None:
        block = {"baseUrl": gateway_url, "userId": "ada", "userKey": USER_KEY, "timeoutSeconds": 5, **(gateway or {})}
        config["memory"] = {"mode": "hybrid", "gateway": block}
    home = root / ".beaver"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home / "config.json").write_text(json.dumps(config))
    return root


@dataclass
class WorkerProcess:
    """One process; `log` keeps what it wrote on standard error. Use as a context manager: it never outlives the test.

    Forked, unless a command is given.
    """

    root: Path
    name: str = "worker"
    command: Sequence[str] = ()
    _process: subprocess.Popen[bytes] | ForkServerProcess | None = field(default=None, init=False)

    def __enter__(self) -> WorkerProcess:
        self.log.write_bytes(b"")
        self._process = self._launched() if self.command else forked(worker_main, ["--root", str(self.root)], self.log)
        return self

    def __exit__(self, *_: object) -> None:
        if self._code() is None:
            self.kill()

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return self.root / f"{self.name}.log"

    @property
    def pid(self) -> int:
        """Its number, once started."""
        assert self._process is not None
        assert self._process.pid is not None
        return self._process.pid

    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._code() is None

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
        match self._process:
            case subprocess.Popen() as launched:
                launched.wait(10)
            case process:
                assert process is not None
                process.join(10)

    def events(self) -> list[dict[str, Any]]:
        """Its log, line by line."""
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    async def logged(self, event: str, **fields: object) -> dict[str, Any]:
        """Wait for an event with these fields in its log."""

        async def found() -> dict[str, Any] | None:
            wanted = {"event": event, **fields}
            return next((each for each in self.events() if wanted.items() <= each.items()), None)

        seen = await wait_until(found, within_s=30, what=f"{event} {fields} in {self.log.read_text()[-2000:]}")
        assert seen is not None
        return seen

    async def exited(self) -> int:
        """Wait for its end; the exit code."""

        async def code() -> tuple[int] | None:
            ended = self._code()
            return None if ended is None else (ended,)

        found = await wait_until(code, within_s=30, what=f"the end of {self.name}: {self.log.read_text()[-2000:]}")
        assert found is not None
        return found[0]

    def _launched(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "BEAVER_ROOT": str(self.root)}
        with self.log.open("ab") as log:
            return subprocess.Popen(
                self.command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def _code(self) -> int | None:
        """The exit code of one that has ended."""
        process = self._process
        assert process is not None
        return process.poll() if isinstance(process, subprocess.Popen) else process.exitcode
