"""`beaver queue`: the ledger of turns on their way to the Memory Gateway, and what an operator may do about them."""

from __future__ import annotations

import typer

from beaver.cli.queue.drop import drop
from beaver.cli.queue.looking import list_, show, stats
from beaver.cli.queue.purge import purge
from beaver.cli.queue.requeue import requeue
from beaver.cli.queue.resolve import resolve
from beaver.cli.queue.watch import watch

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="See where turns stand on their way to the Memory Gateway; send again, settle, drop or purge them.",
)
app.command("stats")(stats)
app.command("list")(list_)
app.command("show")(show)
app.command("watch")(watch)
app.command("requeue")(requeue)
app.command("resolve")(resolve)
app.command("drop")(drop)
app.command("purge")(purge)
