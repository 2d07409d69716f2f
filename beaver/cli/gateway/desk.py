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

_CONFIGURED = "Default: the one that is configured here"
User = Annotated[str | None, typer.Option("--user", metavar="ID", help=f"Whose memory. {_CONFIGURED} (userId).")]
AppId = Annotated[str | None, typer.Option("--app", metavar="ID", help=f"The namespace's app. {_CONFIGURED}.")]
ProjectId = Annotated[
    str | None, typer.Option("--project", metavar="ID", help=f"The namespace's project. {_CONFIGURED}.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Limit = Annotated[int, typer.Option(min=1, max=100, help="Most to list.")]


def settings_of(root: Path | None) -> Settings:
    """The instance's configuration."""
    import os

    from beaver.config.loader import load_settings

    return load_settings(instance_paths(root), os.environ)


def namespace_of(root: Path | None, user: str | None, app_id: str | None, project_id: str | None) -> Namespace:
    """The namespace that the options name, as for what they do not name the instance's own chats use it. Raises InvalidInput."""
    from beaver.config.memory import gateway_of
    from beaver.errors import InvalidInput
    from beaver.memory.namespace import Namespace

    own = gateway_of(settings_of(root).memory)
    if user is None and own is None:
        raise InvalidInput("--user", "must name a user: none is configured here (memory.gateway.userId)")
    usual = (own.app_id, own.project_id, own.user_id) if own else ("default", "default", "")
    named = (app_id, project_id, user)
    return Namespace(*(usual if name is None else name for name, usual in zip(named, usual, strict=True)))


def with_memory(root: Path | None, work: Callable[[MemoryRuntime], Awaitable[T]], *, of: Namespace | None = None) -> T:
    """Do something with the memory's database; a running Gateway may have it open too. Raises what `memory` does."""
    import asyncio

    async def run() -> T:
        async with memory(root, of=of) as runtime:
            return await work(runtime)

    return asyncio.run(run())


def forgetting(
    root: Path | None, work: Callable[[MemoryRuntime], Awaitable[T]], *, as_json: bool, of: Namespace | None = None
) -> T:
    """`with_memory` for what forgets: it ends when the database's bytes hold no word of it, or another process hinders that."""

    async def to_its_end(runtime: MemoryRuntime) -> T:
        forgotten = await work(runtime)
        with progress("Clearing the last traces", as_json=as_json):
            await runtime.wait_until_purged()
        return forgotten

    return with_memory(root, to_its_end, of=of)


@asynccontextmanager
async def memory(
    root: Path | None, *, of: Namespace | None = None, encoding: bool = False, learning: bool = False
) -> AsyncIterator[MemoryRuntime]:
    """The engine over the instance's database; with its encoder where vectors are to be made. Where it is to learn it captures as
    a running Gateway does, by the language model and the encoder that are configured, and leaves the vectors to that.

    Raises NotFound where it is about a memory `of` a user who is not there: a name that was mistyped is no empty memory.
    """
    import io

    from beaver.gateway.serve import open_encoder
    from beaver.logs import configure_logs
    from beaver.memory.inference.language_models import language_model_of
    from beaver.memory.runtime import MemoryRuntime
    from beaver.redaction import Redactor

    settings = settings_of(root)
    configure_logs("cli", Redactor(settings.secrets()), stream=io.StringIO())
    encoder = await open_encoder(settings) if encoding or learning else None
    model = settings.gateway_server.model
    runtime = await MemoryRuntime.open(
        settings.gateway_url,
        encoder=encoder if encoding else None,
        judging=encoder if learning else None,
        model=language_model_of(model) if learning else None,
        model_timeout_s=model.timeout_seconds,
    )
    try:
        if of is not None:
            await runtime.list_keys(of.user_id)
        yield runtime
    finally:
        await runtime.close()
        if learning and encoder is not None:
            await encoder.close()


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
