"""A real Valkey (or Redis) server that tests can freeze, kill and start again on the same data and address."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis

from beaver.embedded.valkey import find_server_binary, server_command


class ValkeyServer:
    """One server process over one data folder."""

    def __init__(self, folder: Path) -> None:
        self._data = folder / "data"
        self.socket = folder / "s"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """URL for clients."""
        return f"unix://{self.socket}"

    def start(self) -> None:
        """Start and wait until it answers."""
        command = server_command(find_server_binary(), self._data, self.socket)
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        give_up = time.monotonic() + 10
        while not self._answers():
            if time.monotonic() > give_up:
                raise RuntimeError("the queue server did not start within 10 s")
            time.sleep(0.01)

    def stop(self) -> None:
        """SIGTERM, and wait."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL, and wait."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """SIGSTOP: the socket accepts, nothing answers."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        self._signal(signal.SIGCONT)

    def empty(self) -> None:
        """Drop every key."""
        self.client().flushall()

    def files(self) -> list[Path]:
        """What it has written to its disk."""
        return [path for path in self._data.rglob("*") if path.is_file()]

    def lose_files(self) -> None:
        """Remove what it has written; it must not run."""
        shutil.rmtree(self._data)

    def copy_files(self) -> Path:
        """Copy all that it has answered so far, beside its folder, as a backup does or a replica that lags.

        It holds writes back for up to two seconds while the disk is busy with earlier ones.
        """
        while self._holds_back():
            time.sleep(0.01)
        return shutil.copytree(self._data, self._data.with_name("copy"))

    def return_to(self, copy: Path) -> None:
        """Put a copy in the place of what it has written since; it must not run."""
        self.lose_files()
        shutil.copytree(copy, self._data)

    def client(self) -> redis.Redis:
        """A blocking client for looking inside."""
        return redis.Redis(unix_socket_path=str(self.socket), socket_timeout=5)

    def _holds_back(self) -> bool:
        told: Any = self.client().info("persistence")
        return bool(told["aof_buffer_length"])

    def _answers(self) -> bool:
        try:
            return bool(self.client().ping())
        except redis.RedisError:
            return False

    def _signal(self, number: int) -> None:
        assert self._process is not None
        os.kill(self._process.pid, number)

    def _end(self, number: int) -> None:
        if self._process is not None:
            self._signal(number)
            self._process.wait(10)
            self._process = None


@contextmanager
def running_valkey() -> Iterator[ValkeyServer]:
    """A server in a folder of its own; ended and removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="bv-"))
    server = ValkeyServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.thaw() if server._process else None
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)
