"""`beaver memory dead`, `requeue`, `drop`: items that could not be sent to the Gateway; another try for them, or none."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beaver.cli.asking import confirm
from beaver.cli.database import session_database
from beaver.cli.options import Json, Root
from beaver.cli.output import print_json, print_rows, when
from beaver.cli.queue.desk import Yes
from beaver.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from beaver.db.engine import Database, Transaction
    from beaver.outbox.distilled.records import DistilledRow

Keys = Annotated[list[str] | None, typer.Argument(metavar="[KEY]...", help="Keys, or how they begin.")]
All = Annotated[bool, typer.Option("--all", help="All that were given up.")]

_COLUMNS = ("key", "item", "user", "session", "attempts", "error", "http", "since")
_KEY_SHOWN = 16


def dead(root: Root = None, as_json: Json = False) -> None:
    """List items that were given up on their way to the Gateway, the last first; no content."""
    import asyncio

    found = asyncio.run(_dead(root))
    if as_json:
        print_json([asdict(row) for row in found])
    else:
        print_rows([_shown(row) for row in found], _COLUMNS, empty="No item was given up.")


def requeue(key: Keys = None, root: Root = None, as_json: Json = False, all_: All = False) -> None:
    """Have items sent anew that were given up, with all their attempts.

    One that was made for another Gateway user (identity_mismatch) goes once memory.gateway.earlierUsers names that user.
    """
    import asyncio

    _check_choice(key, all_)
    count = asyncio.run(_requeue(root, key or []))
    if as_json:
        print_json({"requeued": count})
    else:
        typer.echo(f"Sending {count} anew.")


def drop(key: Keys = None, root: Root = None, as_json: Json = False, all_: All = False, yes: Yes = False) -> None:
    """Remove items that were given up, so that they are never sent. What the host itself remembers stays."""
    import asyncio

    _check_choice(key, all_)
    count = asyncio.run(_drop(root, key or [], yes=yes, as_json=as_json))
    if as_json:
        print_json({"dropped": count})
    else:
        typer.echo(f"Dropped {count}.")


def _check_choice(key: list[str] | None, all_: bool) -> None:
    if bool(key) == all_:
        raise InvalidInput("KEY", "name the keys, or --all")


async def _dead(root: Path | None) -> list[DistilledRow]:
    from beaver.outbox.distilled.inspection import DistilledInspection

    async with session_database(root) as database, database.read() as tx:
        return await DistilledInspection(database.dialect).dead(tx)


async def _requeue(root: Path | None, beginnings: list[str]) -> int:
    from beaver.outbox.distilled.store import DistilledStore

    async with session_database(root) as database, database.write() as tx:
        keys = await _keys(database, tx, beginnings)
        return await DistilledStore(database.dialect).requeue(tx, keys)


async def _drop(root: Path | None, beginnings: list[str], *, yes: bool, as_json: bool) -> int:
    from beaver.outbox.distilled.store import DistilledStore

    async with session_database(root) as database:
        async with database.read() as tx:
            keys = await _keys(database, tx, beginnings)
        if keys and not yes:
            confirm(f"Remove {len(keys)} items, so that the Gateway never gets them?", as_json=as_json)
        async with database.write() as tx:
            dropped = await DistilledStore(database.dialect).drop(tx, keys)
        # SQLite's log holds their words yet.
        await database.empty_log()
        return dropped


async def _keys(database: Database, tx: Transaction, beginnings: list[str]) -> list[str]:
    """Of dead items: those that begin so, or all. Raises NotFound where none begins so."""
    from beaver.outbox.distilled.inspection import DistilledInspection

    rows = await DistilledInspection(database.dialect).dead(tx)
    keys = [row.key for row in rows if not beginnings or row.key.startswith(tuple(beginnings))]
    if beginnings and not keys:
        raise NotFound("no item that was given up has such a key")
    return keys


def _shown(row: DistilledRow) -> dict[str, Any]:
    return {
        "key": row.key[:_KEY_SHOWN],
        "item": row.item_id,
        "user": row.user_id,
        "session": row.session_id,
        "attempts": row.attempt,
        "error": row.error_category,
        "http": row.error_status,
        "since": when(row.updated_ms),
    }
