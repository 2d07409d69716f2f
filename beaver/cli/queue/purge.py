"""`beaver queue purge`: delete the rows of turns that were delivered long ago."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beaver.cli.asking import confirm
from beaver.cli.options import Json, Root
from beaver.cli.output import print_json
from beaver.cli.queue.desk import Actor, Yes, open_desk, operator, progress
from beaver.cli.queue.filters import duration_ms

if TYPE_CHECKING:
    from beaver.outbox.operations import Operator


def purge(
    flushed_older_than: Annotated[
        str, typer.Option(metavar="DURATION", help="Those that ended at least this long ago: 12h, 30d.")
    ],
    root: Root = None,
    as_json: Json = False,
    actor: Actor = None,
    yes: Yes = False,
) -> None:
    """Delete flushed and skipped turns from the ledger, with their timelines.

    The conversations stay, and so do failed and unknown turns until somebody has settled them.
    """
    import asyncio

    older_than_ms = duration_ms(flushed_older_than, "--flushed-older-than")
    purged = asyncio.run(_purge(root, operator(actor, None), older_than_ms, yes=yes, as_json=as_json))
    if as_json:
        print_json({"purged": purged})
    else:
        typer.echo(f"Purged {purged} turns.")


async def _purge(root: Path | None, by: Operator, older_than_ms: int, *, yes: bool, as_json: bool) -> int:
    async with open_desk(root) as desk:
        total = await desk.operations.count_purgeable(older_than_ms=older_than_ms)
        if total and not yes:
            confirm(f"Delete {total} delivered turns and their timelines from the ledger?", as_json=as_json)
        purged = 0
        with progress("Purging", total) as more:
            async for batch in desk.operations.purge(by, older_than_ms=older_than_ms):
                purged += batch
                more(batch)
        return purged
