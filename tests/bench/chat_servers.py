"""Chat servers to measure: real processes of `beaver serve` with a scripted model, and a bare FastAPI app beside them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.http_load import answer_of
from tests.bench.options import DatabaseKind
from tests.support.ports import free_ports
from tests.support.postgres import running_postgres
from tests.support.waiting import wait_until

LOG_CHARS = 2000
WORDS = "Beavers build their lodges of sticks and mud, in still water."
Script = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Serving:
    """A process that listens on loopback."""

    port: int
    pid: int


@asynccontextmanager
async def database_urls(folder: Path) -> AsyncIterator[Mapping[DatabaseKind, str]]:
    """An empty session database of each kind."""
    async with AsyncExitStack() as parts:
        postgres = parts.enter_context(running_postgres())
        yield {
            "sqlite": f"sqlite:///{folder / 'sessions.db'}",
            "postgresql": postgres.url(await postgres.create_database()),
        }


CURATED: Mapping[str, Any] = {"memory": {"mode": "curated"}}


@asynccontextmanager
async def chat_server(
    folder: Path, database_url: str, script: Script, sections: Mapping[str, Any] = CURATED, **server: Any
) -> AsyncIterator[Serving]:
    """One server, ready; killed at the end, since runs of the bench may be under way.

    `sections`: what its configuration says of memory and queue. `server`: further settings of that section.
    """
    [port] = free_ports(1)
    _write_instance(folder, database_url, script, {**sections, "server": {"port": port, **server}})
    with _running([sys.executable, "-m", "beaver", "serve"], folder, folder / "server.log") as process:
        await _ready(port, process, folder / "server.log")
        yield Serving(port, process.pid)


@asynccontextmanager
async def bare_app(
    folder: Path, twin: Serving, body: Mapping[str, Any], *, delay_s: float = 0
) -> AsyncIterator[Serving]:
    """An app that answers what `twin` answers to this body, whole and streamed, with `delay_s` before each piece."""
    whole, streamed = [await answer_of(twin.port, {**body, "stream": stream}) for stream in (False, True)]
    answers = folder / "answers.json"
    answers.write_text(json.dumps({"whole": whole, "pieces": _pieces(streamed), "delay_s": delay_s}))
    [port] = free_ports(1)
    command = [sys.executable, "-m", "tests.bench.bare_app", str(answers), str(port)]
    with _running(command, Path.cwd(), folder / "bare.log") as process:
        await _ready(port, process, folder / "bare.log")
        yield Serving(port, process.pid)


def _pieces(streamed: str) -> list[str]:
    return [f"{event}\n\n" for event in streamed.split("\n\n") if event]


def _write_instance(folder: Path, database_url: str, script: Script, sections: Mapping[str, Any]) -> None:
    home = folder / ".beaver"
    home.mkdir(mode=0o700, parents=True)
    (folder / "script.json").write_text(json.dumps(script))
    config = {
        "sessions": {"databaseUrl": database_url},
        "provider": {"kind": "scripted", "script": "script.json"},
        **sections,
    }
    (home / "config.json").write_text(json.dumps(config))


@contextmanager
def _running(command: Sequence[str], folder: Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _end_of(log: Path) -> str:
    return log.read_text()[-LOG_CHARS:]


async def _ready(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    async def answers() -> bool:
        assert process.poll() is None, f"a server has ended before it was ready: {_end_of(log)}"
        try:
            return bool(await answer_of(port, None))
        except OSError:
            return False

    await wait_until(answers, within_s=60, what="a server")
