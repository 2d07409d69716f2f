"""`beaver memory forget`: erase items, so that no byte holds them and nothing captures them again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beaver.cli.asking import confirm
from beaver.cli.memory.desk import NO_SESSION, actor, open_commands
from beaver.cli.options import Json, Root
from beaver.cli.output import print_json
from beaver.cli.queue.desk import Yes
from beaver.errors import InvalidInput

if TYPE_CHECKING:
    from beaver.agent.policy.commands import Forgotten
    from beaver.agent.policy.selecting import By


def forget(
    item_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="The item's id.")] = None,
    root: Root = None,
    as_json: Json = False,
    tag: Annotated[str | None, typer.Option("--tag", help="All items with this tag.")] = None,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="All learned in this session.")] = None,
    project: Annotated[bool, typer.Option("--project", help="All items of the configured project.")] = False,
    user: Annotated[bool, typer.Option("--user", help="All items of the configured user.")] = False,
    yes: Yes = False,
) -> None:
    """Erase items here: rows, index, vectors, history, and what waits to be sent. They are not captured again."""
    import asyncio

    from beaver.agent.policy.spoken import forgotten_line

    by, value = _selected(item_id, tag, session, project, user)
    if by in {"project", "user"} and not yes:
        confirm(f"Erase every item of this {by}?", as_json=as_json)
    told = asyncio.run(_forget(root, by, value))
    if as_json:
        print_json(asdict(told))
    else:
        typer.echo(forgotten_line(told.ids))


def _selected(item_id: str | None, tag: str | None, session: str | None, project: bool, user: bool) -> tuple[By, str]:
    named: list[tuple[By, str]] = []
    if item_id is not None:
        named.append(("id", item_id))
    if tag is not None:
        named.append(("tag", tag))
    if session is not None:
        named.append(("session", session))
    if project:
        named.append(("project", ""))
    if user:
        named.append(("user", ""))
    if len(named) != 1:
        raise InvalidInput("ID", "name one item, or one of --tag, --session, --project, --user")
    return named[0]


async def _forget(root: Path | None, by: By, value: str) -> Forgotten:
    from beaver.agent.policy.selecting import selection_of

    async with open_commands(root) as commands:
        return await commands.forget(selection_of(by, value), NO_SESSION, actor())
