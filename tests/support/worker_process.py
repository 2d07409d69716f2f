"""A real worker process on an instance of its own: started, read through its log, killed or told to stop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.ledger import USER_KEY
from tests.support.waiting import wait_until

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
) -> Path:
    """A configuration for a worker, in a folder of its own; without a Gateway URL the plan is `curated`."""
    config: dict[str, Any] = {
        "sessions": {"databaseUrl": database_url},
        "queue": {"redisUrl": redis_url},
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
    """One process; `log` keeps what it wrote on standard error. Use as a context manager: it never outlives the test."""

    root: Path
    name: str = "worker"
    command: Sequence[str] = WORKER
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def __enter__(self) -> WorkerProcess:
        with self.log.open("w") as log:
            self._process = subprocess.Popen(
                self.command,
                env={**os.environ, "BEAVER_ROOT": str(self.root)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill()

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return self.root / f"{self.name}.log"

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The process, once started."""
        assert self._process is not None
        return self._process

    def terminate(self) -> None:
        """SIGTERM; returns at once."""
        self.process.send_signal(signal.SIGTERM)

    def freeze(self) -> None:
        """SIGSTOP."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL, and wait."""
        self.process.kill()
        self.process.wait(10)

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
            ended = self.process.poll()
            return None if ended is None else (ended,)

        found = await wait_until(code, within_s=30, what=f"the end of {self.name}: {self.log.read_text()[-2000:]}")
        assert found is not None
        return found[0]
