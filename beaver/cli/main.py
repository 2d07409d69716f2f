"""The `beaver` command: its sub-commands, and the one place where an error becomes plain words and an exit code."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from beaver.cli import chat, check, gateway, keys, memory, migrate, queue, serve, sessions, up, worker
from beaver.cli.failures import report, report_abort, report_missing_extra, report_refusal, report_usage
from beaver.cli.options import GlobalRoot, asks_for_json, remember_json, wants_json
from beaver.collector import collect_seldom
from beaver.errors import BeaverError, Unavailable, exit_code


class Commands(TyperGroup):
    """Runs a command; an error that Beaver raises on purpose ends as its message and exit code, never as a traceback.

    With `--json` that message is JSON, also when the command line itself is wrong or a question was answered with no.
    """

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **extra: Any) -> Any:
        as_json = asks_for_json(args)
        try:
            context: Any = super().make_context(info_name, args, *more, **extra)
        except typer.TyperException as error:
            _refuse(error, as_json)
            raise
        # What the command itself is told goes before it, once its options could be read.
        remember_json(context, as_json)
        return context

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
        except OSError as error:
            if not report_refusal(error, as_json=wants_json(ctx)):
                raise
            raise typer.Exit(exit_code(Unavailable(""))) from None
        except typer.TyperException as error:
            _refuse(error, wants_json(ctx))
            raise
        except typer.Abort:
            if not wants_json(ctx):
                raise
            report_abort()
            raise typer.Exit(1) from None


def _refuse(error: typer.TyperException, as_json: bool) -> None:
    """For people typer writes what is wrong with the command line."""
    if as_json:
        report_usage(error)
        raise typer.Exit(error.exit_code) from None


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
    collect_seldom()
    app()
