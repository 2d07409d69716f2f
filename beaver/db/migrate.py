"""Brings a database to the schema of this release, once, whoever starts first; alembic is imported only when needed."""

from __future__ import annotations

import importlib
from typing import Any

from sqlalchemy import Connection, MetaData, text
from sqlalchemy.exc import DBAPIError

from beaver.db.engine import Database
from beaver.errors import Unavailable

# Any number, the same in every release: it names the lock under which PostgreSQL is migrated.
_ADVISORY_LOCK = 0x6265617665720001


async def ensure_schema(database: Database, package: str) -> None:
    """Migrate to the head of `package` (a folder with `HEAD`, `metadata`, env.py and versions/) unless it is there already.

    Raises Unavailable when the database is of a newer release than this process.
    """
    migrations = importlib.import_module(package)
    current = await schema_revision(database)
    if current == migrations.HEAD:
        return
    if current is not None and current > migrations.HEAD:
        raise Unavailable(f"the database has schema {current}, newer than this release's {migrations.HEAD}")
    async with database.write() as tx:
        if database.dialect.name == "postgresql":
            await tx.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        await tx.run_sync(_upgrade, package)


async def schema_revision(database: Database) -> str | None:
    """The revision the database stands at; None for an empty one."""
    try:
        async with database.engine.connect() as connection:
            found = await connection.scalar(text("SELECT version_num FROM alembic_version"))
            return None if found is None else str(found)
    except DBAPIError as error:
        if "alembic_version" in str(error.orig):
            return None
        raise Unavailable(f"the database cannot serve ({type(error.orig).__name__})") from None
    except OSError as error:
        raise Unavailable(f"the database cannot be reached ({type(error).__name__})") from None


def _upgrade(connection: Connection, package: str) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", f"{package.replace('.', ':', 1).replace('.', '/')}")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def run_environment(metadata: MetaData) -> None:
    """What a migrations folder's env.py calls: runs alembic's steps inside the transaction that ensure_schema opened."""
    from alembic import context

    connection: Any = context.config.attributes["connection"]
    context.configure(connection=connection, target_metadata=metadata, transactional_ddl=False)
    context.run_migrations()
