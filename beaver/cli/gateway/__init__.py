"""`beaver gateway`: the Memory Gateway server, its users and what they hold."""

from __future__ import annotations

import typer

from beaver.cli.gateway import archive, memories, resources, users
from beaver.cli.gateway.check import check
from beaver.cli.gateway.files import export, import_
from beaver.cli.gateway.keeping import maintain, reindex, stats
from beaver.cli.gateway.serve import serve

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Run the Memory Gateway; keep its users and their memories."
)
app.command("serve")(serve)
app.command("check")(check)
app.add_typer(users.app, name="users")
app.add_typer(memories.app, name="memories")
app.add_typer(archive.app, name="archive")
app.add_typer(resources.app, name="resources")
app.command("export")(export)
app.command("import")(import_)
app.command("reindex")(reindex)
app.command("maintain")(maintain)
app.command("stats")(stats)
