"""`beaver memory dead`, `requeue`: items that could not be sent to the Gateway, and another try for them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beaver.cli.database import session_database
from beaver.cli.options import Json, Root
from beaver.cli.output import print_json, print_rows, when
from beaver.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from beaver.outbox.distilled.records import DistilledRow

_COLUMNS = ("key", "item", "session", "attempts", "error", "http", "since")
_KEY_SHOWN = 16


def dead(root: Root = None, as_json: Json = False) -> None:
    """List items that were given up on their way to the Gateway, the last first; no content."""
    import asyncio

    found = asyncio.run(_dead(root))
    if as_json:
        print_json([asdict(row) for row in found])
    else:
        print_rows([_shown(row) for row in found], _COLUMNS, empty="No item was given up.")


def requeue(
    key: Annotated[list[str] | None, typer.Argument(metavar="[KEY]...", help="Keys, or how they begin.")] = None,
    root: Root = None,
    as_json: Json = False,
    all_: Annotated[bool, typer.Option("--all", help="All that were given up.")] = False,
) -> None:
    """Have items sent anew that were given up, with all their attempts."""
    import asyncio

    if bool(key) == all_:
        raise InvalidInput("KEY", "name the keys, or --all")
    count = asyncio.run(_requeue(root, key or []))
    if as_json:
        print_json({"requeued": count})
    else:
        typer.echo(f"Sending {count} anew.")


async def _dead(root: Path | None) -> list[DistilledRow]:
    from beaver.outbox.distilled.inspection import DistilledInspection

    async with session_database(root) as database, database.read() as tx:
        return await DistilledInspection(database.dialect).dead(tx)


async def _requeue(root: Path | None, beginnings: list[str]) -> int:
    from beaver.outbox.distilled.inspection import DistilledInspection
    from beaver.outbox.distilled.store import DistilledStore

    async with session_database(root) as database, database.write() as tx:
        rows = await DistilledInspection(database.dialect).dead(tx)
        keys = [row.key for row in rows if not beginnings or row.key.startswith(tuple(beginnings))]
        if beginnings and not keys:
            raise NotFound("no item that was given up has such a key")
        return await DistilledStore(database.dialect).requeue(tx, keys)


def _shown(row: DistilledRow) -> dict[str, Any]:
    return {
        "key": row.key[:_KEY_SHOWN],
        "item": row.item_id,
        "session": row.session_id,
        "attempts": row.attempt,
        "error": row.error_category,
        "http": row.error_status,
        "since": when(row.updated_ms),
    }
