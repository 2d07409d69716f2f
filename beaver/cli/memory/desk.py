"""The commands' own view of the host's memory, for the length of a command; and who acts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from beaver.cli.options import instance_paths
from beaver.cli.queue.desk import user_at_host

if TYPE_CHECKING:
    from beaver.agent.policy.commands import MemoryCommands

SessionOption = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="As this session sees it. Default: none.")
]
NO_SESSION: Final = ""


@asynccontextmanager
async def open_commands(root: Path | None) -> AsyncIterator[MemoryCommands]:
    """The instance's memory. Another process may have it open."""
    import io
    import os

    from beaver.agent.policy.commands import MemoryCommands
    from beaver.agent.policy.composing import owner_of
    from beaver.cli.database import session_database
    from beaver.cli.local_memory.opening import open_local_store
    from beaver.config.loader import load_settings
    from beaver.logs import configure_logs
    from beaver.redaction import Redactor

    settings = load_settings(instance_paths(root), os.environ)
    configure_logs("cli", Redactor(settings.secrets()), stream=io.StringIO())
    async with session_database(root) as database:
        local = await open_local_store(settings)
        try:
            items = None if local is None else local.items
            yield MemoryCommands(database, items, owner_of(settings.memory))
        finally:
            if local is not None:
                await local.items.close()


def actor() -> str:
    """Who acts, for the audit trail."""
    return f"cli:{user_at_host()}"
