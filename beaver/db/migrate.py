"""Brings a database to the schema of this release, once, whoever starts first; alembic is imported only when needed."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from sqlalchemy import Connection, MetaData, inspect, text

from beaver.db.engine import Database
from beaver.errors import Unavailable

# Any number, the same in every release: it names the lock under which PostgreSQL is migrated.
_ADVISORY_LOCK = 0x6265617665720001


async def ensure_schema(database: Database, package: str) -> None:
    """Migrate to the head of `package` unless it is there already; however many processes start at once, one migrates.

    `package` is a folder with `HEAD`, `metadata`, env.py and versions/, and `VERSION_TABLE` where it may share a
    database with another such folder. Raises Unavailable when the database is of a newer release than this process.
    """
    migrations = importlib.import_module(package)
    if await _stands_at_head(database, migrations):
        return
    # On a crowded machine this alone can take longer than PostgreSQL lets a transaction lie idle.
    for needed in ("alembic.command", "alembic.config"):
        importlib.import_module(needed)
    async with database.write() as tx:
        if database.dialect.name == "postgresql":
            await tx.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        # Looked at again under the lock: another process may have migrated while this one waited.
        if not _is_head(await tx.run_sync(_revision, _version_table(migrations)), migrations):
            await tx.run_sync(_upgrade, package, _version_table(migrations))


async def schema_revision(database: Database, version_table: str = "alembic_version") -> str | None:
    """The revision the database stands at; None for an empty one."""
    async with database.read() as tx:
        return await tx.run_sync(_revision, version_table)


def run_environment(metadata: MetaData) -> None:
    """What a migrations folder's env.py calls: runs alembic's steps inside the transaction that ensure_schema opened."""
    from alembic import context

    attributes: Any = context.config.attributes
    context.configure(
        connection=attributes["connection"],
        target_metadata=metadata,
        version_table=attributes["version_table"],
        transactional_ddl=False,
    )
    context.run_migrations()


async def _stands_at_head(database: Database, migrations: ModuleType) -> bool:
    return _is_head(await schema_revision(database, _version_table(migrations)), migrations)


def _is_head(revision: str | None, migrations: ModuleType) -> bool:
    if revision is not None and revision > migrations.HEAD:
        raise Unavailable(f"the database has schema {revision}, newer than this release's {migrations.HEAD}")
    return bool(revision == migrations.HEAD)


def _version_table(migrations: ModuleType) -> str:
    return str(getattr(migrations, "VERSION_TABLE", "alembic_version"))


def _revision(connection: Connection, version_table: str) -> str | None:
    if not inspect(connection).has_table(version_table):
        return None
    found = connection.exec_driver_sql(f"SELECT version_num FROM {version_table}").scalar()  # noqa: S608 - our constant
    return None if found is None else str(found)


def _upgrade(connection: Connection, package: str, version_table: str) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", package.replace(".", ":", 1).replace(".", "/"))
    config.attributes["connection"] = connection
    config.attributes["version_table"] = version_table
    command.upgrade(config, "head")
