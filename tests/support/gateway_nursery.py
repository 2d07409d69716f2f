"""Gateway processes by forking one that has all imports behind it: a start takes a tenth of the time. As a program: that one.

What the program reads and writes are lines of JSON: a number that it answers is a process or what became of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any


@dataclass(frozen=True)
class Forked:
    """A forked process. Its parent is the nursery, which alone can wait for it."""

    pid: int
    nursery: GatewayNursery

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, negative for a signal."""
        return self.nursery.ask({"wait": self.pid})


class GatewayNursery:
    """Forks Gateways over instance folders. Not for two threads at once."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    async def launch(self, root: Path, log: Path) -> Forked:
        """A Gateway that begins to serve."""
        return Forked(await asyncio.to_thread(self.ask, {"root": str(root), "log": str(log)}), self)

    def ask(self, wish: dict[str, Any]) -> int:
        """What the program answers."""
        said, heard = _pipes(self._process)
        said.write(json.dumps(wish).encode() + b"\n")
        said.flush()
        return int(heard.readline())


@contextmanager
def gateway_nursery() -> Iterator[GatewayNursery]:
    """A nursery; all that it forked must have ended before."""
    process = subprocess.Popen([sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield GatewayNursery(process)
    finally:
        for pipe in _pipes(process):
            pipe.close()
        process.wait(15)


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _raise_children() -> None:
    import beaver.gateway.serve  # noqa: F401 - so that no child has to

    for line in sys.stdin.buffer:
        wish = json.loads(line)
        print(_outcome(wish["wait"]) if "wait" in wish else _fork(wish["root"], wish["log"]), flush=True)


def _outcome(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _fork(root: str, log: str) -> int:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            _serve(root, log)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return pid


def _serve(root: str, log: str) -> None:
    from beaver.config.loader import load_settings
    from beaver.config.paths import InstancePaths
    from beaver.gateway.serve import serve

    target = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, stream in ((nothing, 0), (target, 1), (target, 2)):
        os.dup2(descriptor, stream)
    serve(load_settings(InstancePaths.at(root), {}))


if __name__ == "__main__":
    _raise_children()
