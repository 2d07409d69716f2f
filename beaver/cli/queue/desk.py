"""Who acts on the ledger, with what: the operator's options, and the parts an act needs for the length of a command."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beaver.cli.options import instance_paths

if TYPE_CHECKING:
    from beaver.config.memory import GatewaySettings, MemoryOwner
    from beaver.outbox.operations import Operator, OutboxOperations

Actor = Annotated[
    str | None,
    typer.Option("--actor", metavar="NAME", help="Who acts, for the audit trail. Default: your user name @ this host."),
]
Reason = Annotated[
    str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the audit trail; at most 500 characters.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@dataclass(frozen=True)
class Desk:
    """The operators' acts over one instance, and whether its Gateway is configured to honour `Idempotency-Key`."""

    operations: OutboxOperations
    key_honoured: bool


@asynccontextmanager
async def open_desk(root: Path | None) -> AsyncIterator[Desk]:
    """The instance's ledger and queue for the length of a block."""
    import io
    import os

    from beaver.cli.database import session_database
    from beaver.client.jobs import PersistQueue
    from beaver.config.loader import load_settings
    from beaver.config.memory import gateway_of
    from beaver.logs import configure_logs
    from beaver.outbox.operations import OutboxOperations
    from beaver.redaction import Redactor

    settings = load_settings(instance_paths(root), os.environ)
    redactor = Redactor(settings.secrets())
    # That the queue does not answer is told by the command itself.
    configure_logs("cli", redactor, stream=io.StringIO())
    gateway = gateway_of(settings.memory)
    queue = PersistQueue.open(settings.redis_url)
    try:
        async with session_database(root) as database:
            operations = OutboxOperations(database, queue, redactor, _owners(gateway))
            yield Desk(operations, gateway is not None and gateway.honours_idempotency_key)
    finally:
        await queue.aclose()


def _owners(gateway: GatewaySettings | None) -> frozenset[MemoryOwner] | None:
    """For whom this instance's workers deliver; None where its configuration has no Gateway, so that nobody can say."""
    return None if gateway is None else frozenset(each.owner for each in gateway.of_each_user())


def operator(actor: str | None, reason: str | None) -> Operator:
    """Who acts, and why."""
    from beaver.outbox.operations import Operator

    return Operator(user_at_host() if actor is None else actor, reason)


def user_at_host() -> str:
    """Who runs the command, on which host."""
    import getpass
    import os
    import socket

    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        # A container's user often has a number and no name.
        user = f"uid-{os.getuid()}"
    return f"{user}@{socket.gethostname()}"[:100]


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal's standard error, nothing elsewhere; gives the function that moves it on."""
    import sys

    if not sys.stderr.isatty():
        yield lambda _more: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(what, total=total)
        yield lambda more: bars.advance(bar, more)
