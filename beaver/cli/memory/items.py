"""`beaver memory list`, `pin`, `unpin`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beaver.cli.memory.desk import NO_SESSION, SessionOption, open_commands
from beaver.cli.options import Json, Root
from beaver.cli.output import print_json, print_rows, when

if TYPE_CHECKING:
    from beaver.agent.policy.commands import Overview
    from beaver.agent.policy.stores import MemoryItem

ItemId = Annotated[str, typer.Argument(metavar="ID", help="The item's id, as `beaver memory list` shows it.")]
_COLUMNS = ("id", "type", "scope", "pinned", "learned", "session", "by", "text")


def list_(root: Root = None, as_json: Json = False, session: SessionOption = None) -> None:
    """Show active items (pinned, or the session's own) and the ten newest others, with where each came from."""
    import asyncio

    from beaver.agent.policy.spoken import empty_lines

    found = asyncio.run(_overview(root, session or NO_SESSION))
    if as_json:
        print_json(asdict(found))
        return
    rows = [_row(item) for item in (*found.active, *found.recent)]
    print_rows(rows, _COLUMNS, empty="\n".join(empty_lines(found)))


def pin(item_id: ItemId, root: Root = None, as_json: Json = False) -> None:
    """Have an item recalled first."""
    _pin(item_id, root, as_json, pinned=True)


def unpin(item_id: ItemId, root: Root = None, as_json: Json = False) -> None:
    """Have an item recalled like any other again."""
    _pin(item_id, root, as_json, pinned=False)


def _pin(item_id: str, root: Path | None, as_json: bool, *, pinned: bool) -> None:
    import asyncio

    item = asyncio.run(_pinned(root, item_id, pinned))
    if as_json:
        print_json(asdict(item))
    else:
        typer.echo(f"{'Pinned' if item.pinned else 'Unpinned'} {item.id}.")


async def _overview(root: Path | None, session_id: str) -> Overview:
    async with open_commands(root) as commands:
        return await commands.overview(session_id)


async def _pinned(root: Path | None, item_id: str, pinned: bool) -> MemoryItem:
    async with open_commands(root) as commands:
        return await commands.pin(item_id, pinned=pinned)


def _row(item: MemoryItem) -> dict[str, Any]:
    shown = {"pinned": "pinned" if item.pinned else "", "learned": when(item.created_at), "by": item.source}
    return {**asdict(item), **shown}
