"""`beaver memory`: what the host itself remembers; pin it, have it forgotten, switch it off, see how it does."""

from __future__ import annotations

import typer

from beaver.cli.memory.forget import forget
from beaver.cli.memory.items import list_, pin, unpin
from beaver.cli.memory.queue import dead, drop, requeue
from beaver.cli.memory.session import off, on, status, why
from beaver.cli.memory.stats import stats

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="See what the host remembers; pin it, have it forgotten, switch it off, see how it does.",
)
app.command("list")(list_)
app.command("pin")(pin)
app.command("unpin")(unpin)
app.command("forget")(forget)
app.command("off")(off)
app.command("on")(on)
app.command("status")(status)
app.command("why")(why)
app.command("stats")(stats)
app.command("dead")(dead)
app.command("requeue")(requeue)
app.command("drop")(drop)
