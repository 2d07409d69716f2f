"""The migrated memory schema is the one that tables.py names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema, schema_revision
from beaver.memory.migrations import HEAD, VERSION_TABLE, metadata
from beaver.memory.runtime import MIGRATIONS
from beaver.memory.tables import FULLTEXT_TABLE


async def test_the_migrated_schema_is_that_of_the_tables(tmp_path: Path) -> None:
    database = Database.open(f"sqlite:///{tmp_path / 'gateway.db'}")
    try:
        await ensure_schema(database, MIGRATIONS)
        await ensure_schema(database, MIGRATIONS)
        assert await schema_revision(database, VERSION_TABLE) == HEAD
        async with database.read() as tx:
            assert await tx.run_sync(_differences) == []
    finally:
        await database.close()


def _differences(connection: Connection) -> Any:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    def ours(_thing: Any, name: str | None, kind: str, _reflected: bool, _other: Any) -> bool:
        return kind != "table" or not str(name).startswith(FULLTEXT_TABLE)

    context = MigrationContext.configure(connection, opts={"include_object": ours, "version_table": VERSION_TABLE})
    return compare_metadata(context, metadata)
