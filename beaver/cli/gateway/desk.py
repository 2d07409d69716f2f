"""The memory for the length of a command, whose it is, and the bar that shows how far it is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from beaver.cli.options import instance_paths

if TYPE_CHECKING:
    from beaver.config.settings import Settings
    from beaver.memory.namespace import Namespace
    from beaver.memory.runtime import MemoryRuntime

T = TypeVar("T")

User = Annotated[str, typer.Option("--user", metavar="ID", help="Whose memory.")]
AppId = Annotated[str, typer.Option("--app", metavar="ID", help="The namespace's app.")]
ProjectId = Annotated[str, typer.Option("--project", metavar="ID", help="The namespace's project.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Limit = Annotated[int, typer.Option(min=1, max=100, help="Most to list.")]


def settings_of(root: Path | None) -> Settings:
    """The instance's configuration."""
    import os

    from beaver.config.loader import load_settings

    return load_settings(instance_paths(root), os.environ)


def namespace_of(user: str, app_id: str, project_id: str) -> Namespace:
    """The namespace that the options name. Raises InvalidInput."""
    from beaver.memory.namespace import Namespace

    return Namespace(app_id, project_id, user)


def with_memory(root: Path | None, work: Callable[[MemoryRuntime], Awaitable[T]], *, of: Namespace | None = None) -> T:
    """Do something with the memory's database; a running Gateway may have it open too. Raises what `memory` does."""
    import asyncio

    async def run() -> T:
        async with memory(root, of=of) as runtime:
            return await work(runtime)

    return asyncio.run(run())


@asynccontextmanager
async def memory(
    root: Path | None, *, of: Namespace | None = None, encoding: bool = False
) -> AsyncIterator[MemoryRuntime]:
    """The engine over the instance's database; with its encoder where vectors are to be made.

    Raises NotFound where it is about a memory `of` a user who is not there: a name that was mistyped is no empty memory.
    """
    import io

    from beaver.gateway.serve import open_encoder
    from beaver.logs import configure_logs
    from beaver.memory.runtime import MemoryRuntime
    from beaver.redaction import Redactor

    settings = settings_of(root)
    configure_logs("cli", Redactor(settings.secrets()), stream=io.StringIO())
    encoder = await open_encoder(settings) if encoding else None
    runtime = await MemoryRuntime.open(settings.gateway_url, encoder=encoder)
    try:
        if of is not None:
            await runtime.list_keys(of.user_id)
        yield runtime
    finally:
        await runtime.close()


@contextmanager
def progress(what: str, *, as_json: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal's standard error, nothing elsewhere; gives the function that is told how far of how much it is."""
    import sys

    if as_json or not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(what, total=None)
        yield lambda done, total: bars.update(bar, completed=done, total=total)
