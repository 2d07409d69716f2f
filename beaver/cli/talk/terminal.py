"""A chat at a terminal: a line edited, earlier ones at hand, the answer as it comes, until Ctrl-D or /quit."""

from __future__ import annotations

import readline
import sys
from collections.abc import Callable, Sequence
from typing import Final

import typer

from beaver.cli.failures import report, say_failure
from beaver.cli.talk.conversation import Answer, Question, Show
from beaver.errors import BeaverError
from beaver.text import printable

HELP: Final = (
    "/help shows this, /memory what is remembered (/memory help: more), /quit (or Ctrl-D) leaves, Ctrl-C stops an answer, "
    "the arrow keys bring lines back."
)
MEMORY: Final = "/memory"
_PROMPT: Final = "you> "

Ask = Callable[[Question, Show | None], Answer]
"""Asks and waits; Ctrl-C stops the run and raises KeyboardInterrupt."""


Remember = Callable[[str, str], list[str]]
"""Does what a `/memory` line asks in a session, and waits; what came of it, a line each."""


def chat_at_terminal(
    ask: Ask, remember: Remember, session_id: str, skills: tuple[str, ...], said: Sequence[str]
) -> None:
    """Ask and answer, in one session, until the person leaves. `said`: what the arrow keys bring back, oldest first.

    No file keeps the lines: the session holds them, and nothing else may once it is deleted.
    """
    for earlier in said:
        if "\n" not in earlier:
            readline.add_history(earlier)
    typer.secho(HELP, dim=True, err=True)
    while (line := _read_line()) is not None:
        if line == "/quit":
            break
        if line == "/help":
            typer.secho(HELP, dim=True, err=True)
        elif line.split()[:1] == [MEMORY]:
            _show_memory(remember, line, session_id)
        elif line.startswith("/"):
            typer.secho(f"There is no command {line.split()[0]}. {HELP}", dim=True, err=True)
        elif line:
            _turn(ask, Question(line, session_id, skills))


def _read_line() -> str | None:
    """The next line without surrounding space; None at the end."""
    while True:
        try:
            return input(_PROMPT).strip()
        except EOFError:
            typer.echo()
            return None
        except KeyboardInterrupt:
            typer.secho("\n(Ctrl-D or /quit leaves)", dim=True, err=True)


def _show_memory(remember: Remember, line: str, session_id: str) -> None:
    try:
        for told in remember(line, session_id):
            typer.echo(printable(told))
    except KeyboardInterrupt:
        typer.secho("\n(stopped)", dim=True, err=True)
    except BeaverError as error:
        report(error, as_json=False)


def _turn(ask: Ask, question: Question) -> None:
    try:
        answer = ask(question, show_piece)
    except KeyboardInterrupt:
        typer.secho("\n(stopped)", dim=True, err=True)
        return
    except BeaverError as error:
        report(error, as_json=False)
        return
    if answer.error is not None:
        say_failure(answer.text, answer.error, answer.run_id)


def show_piece(piece: str) -> None:
    """Write a piece of the answer at once."""
    sys.stdout.write(printable(piece))
    sys.stdout.flush()
