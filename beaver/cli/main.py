"""The `beaver` command: its sub-commands, and the one place where an error becomes plain words and an exit code."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from beaver.cli import chat, check, gateway, keys, memory, migrate, queue, serve, sessions, up, worker
from beaver.cli.failures import report, report_missing_extra
from beaver.cli.options import GlobalRoot, wants_json
from beaver.errors import BeaverError, exit_code


class Commands(TyperGroup):
    """Runs a command; an error that Beaver raises on purpose ends as its message and exit code, never as a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BeaverError as error:
            report(error, as_json=wants_json(ctx))
            raise typer.Exit(exit_code(error)) from None
        except ModuleNotFoundError as error:
            if not report_missing_extra(error, as_json=wants_json(ctx)):
                raise
            raise typer.Exit(1) from None


app = typer.Typer(
    name="beaver",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    rich_markup_mode=None,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def beaver(root: GlobalRoot = None) -> None:
    """A self-hosted chat agent whose memory never slows, breaks or leaks a chat."""


app.command("up")(up.up)
app.command("chat")(chat.chat)
app.command("check")(check.check)
app.add_typer(sessions.app, name="sessions")
app.add_typer(queue.app, name="queue")
app.add_typer(memory.app, name="memory")
app.add_typer(keys.app, name="keys")
app.command("serve")(serve.serve)
app.command("worker")(worker.worker)
app.add_typer(gateway.app, name="gateway")
app.command("migrate")(migrate.migrate)


def main() -> None:
    """Entry point of the console script."""
    app()
