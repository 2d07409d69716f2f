"""An instance in a folder of its own, driven through the command line as a user drives it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.forking import forked_beaver
from tests.support.processes import Child, Forked
from tests.support.waiting import wait_until

BEAVER = (sys.executable, "-m", "beaver")
ENDS = {"flushed", "add_refused", "add_unknown", "flush_failed", "flush_unknown", "skipped"}


@dataclass
class Instance:
    """A folder with (or without) a `.beaver/`, and the commands run in it. Keeps all that was printed, for canaries.

    What `forks` starts its commands from a process that has all imports behind it, which is a second of a CPU less each;
    the parts that `beaver up` starts are started as ever.
    """

    folder: Path
    forks: bool = False
    env: Mapping[str, str] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)

    async def run(self, *arguments: str, expect: int | None = 0, within_s: float = 60) -> str:
        """Run one command to its end and give its standard output; `expect` None takes any exit code."""
        code, out, err = await (self._forked if self.forks else self._launched)(arguments, within_s)
        self.printed.append(f"{out}\n{err}")
        assert expect in (None, code), f"{arguments}: exit {code}\n{out}\n{err}"
        return out

    async def _launched(self, arguments: Sequence[str], within_s: float) -> tuple[int | None, str, str]:
        process = await asyncio.create_subprocess_exec(
            *BEAVER, *arguments, cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        out, err = (part.decode() for part in await asyncio.wait_for(process.communicate(), within_s))
        return process.returncode, out, err

    async def _forked(self, arguments: Sequence[str], within_s: float) -> tuple[int | None, str, str]:
        with tempfile.TemporaryDirectory() as written:
            out, err = Path(written) / "out", Path(written) / "err"
            process = forked_beaver(arguments, self.folder, self.environment(), out, err)
            code = await asyncio.to_thread(Forked(process).wait, within_s)
            return code, out.read_text(), err.read_text()

    async def json(self, *arguments: str, expect: int | None = 0) -> Any:
        """Run one command with --json and parse what it prints."""
        return json.loads(await self.run(*arguments, "--json", expect=expect))

    async def say(self, text: str, session: str | None = None) -> dict[str, Any]:
        """One turn of chat."""
        chosen = ("--session", session) if session else ()
        answer: dict[str, Any] = await self.json("chat", "-m", text, *chosen)
        return answer

    async def ended(self, run_id: str) -> None:
        """Wait until the ledger says what became of a turn. Read from its file: a command for each look is a second of a CPU."""

        async def at_an_end() -> bool:
            with closing(sqlite3.connect(f"file:{self.folder}/.beaver/sessions.db?mode=ro", uri=True)) as connection:
                row = connection.execute("SELECT state FROM outbox WHERE run_id = ?", (run_id,)).fetchone()
            return row is not None and row[0] in ENDS

        await wait_until(at_an_end, within_s=60, what=f"an end of {run_id}")

    @asynccontextmanager
    async def up(self) -> AsyncIterator[Up]:
        """`beaver up`, ready; Ctrl-C at the end, after which it must end well."""
        up = Up(self)
        up.start()
        try:
            await up.wait_for_event("ready")
            yield up
        finally:
            await up.stop()

    def config(self) -> dict[str, Any]:
        """The configuration as it stands on disk."""
        config: dict[str, Any] = json.loads((self.folder / ".beaver" / "config.json").read_text())
        return config

    def write_config(self, config: Mapping[str, Any]) -> None:
        """Put a configuration in place, as an operator would."""
        home = self.folder / ".beaver"
        home.mkdir(mode=0o700, exist_ok=True)
        path = home / "config.json"
        path.write_text(json.dumps(config))
        path.chmod(0o600)

    def environment(self) -> dict[str, str]:
        """What its processes are given: nothing of ours from outside, but what a test adds."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("BEAVER_")}
        return {**kept, **self.env}


class Up:
    """A `beaver up` process and the JSON lines it prints."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._output = instance.folder / "up.jsonl"
        self._process: Child | None = None

    def start(self) -> None:
        """Start it; returns at once."""
        self._output.write_text("")
        if self._instance.forks:
            to, environment = self._output, self._instance.environment()
            self._process = Forked(forked_beaver(("up", "--json"), self._instance.folder, environment, to, to))
            return
        with self._output.open("w") as output:
            self._process = subprocess.Popen(
                [*BEAVER, "up", "--json"], cwd=self._instance.folder, env=self._instance.environment(),
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    async def stop(self) -> None:
        """Ctrl-C, and wait for the drain."""
        assert self._process is not None
        if self._process.poll() is None:
            os.kill(self._process.pid, signal.SIGINT)
        code = await asyncio.to_thread(self._process.wait, 60)
        self._instance.printed.append(self._text())
        assert code == 0, self._text()[-3000:]

    def events(self) -> Iterator[dict[str, Any]]:
        """What it has reported so far."""
        for line in self._text().splitlines():
            if line.startswith("{"):
                yield json.loads(line)

    async def wait_for_event(self, event: str, **fields: object) -> dict[str, Any]:
        """Wait until it reports an event with these fields."""

        async def reported() -> dict[str, Any] | None:
            assert self._process is not None
            assert self._process.poll() is None, self._text()[-3000:]
            wanted = {"event": event, **fields}
            return next((each for each in self.events() if wanted.items() <= each.items()), None)

        found = await wait_until(reported, within_s=60, what=f"beaver up: {event} {fields}")
        assert found is not None
        return found

    def pid_of(self, part: str) -> int:
        """The process id of a part, as last reported."""
        pids = [each["pid"] for each in self.events() if each.get("part") == part and each.get("pid")]
        return int(pids[-1])

    def _text(self) -> str:
        return self._output.read_text()
