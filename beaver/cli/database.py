"""The session database for the length of a command."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from beaver.cli.options import instance_paths

if TYPE_CHECKING:
    from beaver.db.engine import Database


@asynccontextmanager
async def session_database(root: Path | None) -> AsyncIterator[Database]:
    """The instance's session database at this release's schema; one that is not there yet is made, empty."""
    import os

    from beaver.config.loader import load_settings
    from beaver.db.engine import Database
    from beaver.db.migrate import ensure_schema

    database = Database.open(load_settings(instance_paths(root), os.environ).sessions_url)
    try:
        await ensure_schema(database, "beaver.db.migrations")
        yield database
    finally:
        await database.close()
