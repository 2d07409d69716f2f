"""`beaver memory off`, `on`, `status`, `why`: the memory as one session has it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beaver.cli.memory.desk import NO_SESSION, SessionOption, actor, open_commands
from beaver.cli.options import Json, Root
from beaver.cli.output import print_json
from beaver.text import printable

if TYPE_CHECKING:
    from beaver.agent.policy.attribution import Why
    from beaver.agent.policy.commands import MemoryStatus

SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="The session's id.")]


def off(session: SessionId, root: Root = None, as_json: Json = False) -> None:
    """Switch memory off in a session: nothing is recalled in it, and nothing kept of it."""
    _switch(session, root, as_json, off=True)


def on(session: SessionId, root: Root = None, as_json: Json = False) -> None:
    """Switch memory on again in a session."""
    _switch(session, root, as_json, off=False)


def status(root: Root = None, as_json: Json = False, session: SessionOption = None) -> None:
    """Tell how the memory stands: items, writes, and what waits to be sent."""
    import asyncio

    from beaver.agent.policy.spoken import status_lines

    found = asyncio.run(_status(root, session or NO_SESSION))
    if as_json:
        print_json(asdict(found))
    else:
        _say(status_lines(found, of_a_session=session is not None))


def why(session: SessionId, root: Root = None, as_json: Json = False) -> None:
    """Show what was recalled for a session's last answer, and from where."""
    import asyncio

    from beaver.agent.policy.attribution import in_words

    found = asyncio.run(_why(root, session))
    if as_json:
        print_json(None if found is None else asdict(found))
    else:
        _say(in_words(found))


def _switch(session: str, root: Path | None, as_json: bool, *, off: bool) -> None:
    import asyncio

    from beaver.ids import validate_session_id

    asyncio.run(_switched(root, validate_session_id(session, "SESSION"), off))
    if as_json:
        print_json({"session": session, "off": off})
    else:
        typer.echo(f"Memory is {'off' if off else 'on'} in session {session}.")


def _say(lines: list[str]) -> None:
    for line in lines:
        typer.echo(printable(line))


async def _switched(root: Path | None, session: str, off: bool) -> None:
    async with open_commands(root) as commands:
        await commands.switch(session, actor(), off=off)


async def _status(root: Path | None, session: str) -> MemoryStatus:
    async with open_commands(root) as commands:
        return await commands.status(session)


async def _why(root: Path | None, session: str) -> Why | None:
    async with open_commands(root) as commands:
        return await commands.why(session)
