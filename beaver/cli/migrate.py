"""`beaver migrate`: the session database to the schema of this release, before the servers of a rollout start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from beaver.cli.options import Json, Root, instance_paths
from beaver.cli.output import print_json

if TYPE_CHECKING:
    from beaver.config.settings import Settings


def migrate(root: Root = None, as_json: Json = False) -> None:
    """Bring the session database up to date.

    Safe to repeat, and to run from several hosts at once.
    """
    import asyncio
    import os

    from beaver.config.loader import load_settings

    before, after = asyncio.run(_migrate(load_settings(instance_paths(root), os.environ)))
    if as_json:
        print_json({"before": before, "after": after})
    elif before == after:
        typer.echo(f"The session database is at schema {after} already.")
    else:
        typer.echo(f"The session database went from {'nothing' if before is None else before} to schema {after}.")


async def _migrate(settings: Settings) -> tuple[str | None, str | None]:
    from beaver.db.engine import Database
    from beaver.db.migrate import ensure_schema, schema_revision

    database = Database.open(settings.sessions_url)
    try:
        before = await schema_revision(database)
        await ensure_schema(database, "beaver.db.migrations")
        return before, await schema_revision(database)
    finally:
        await database.close()
