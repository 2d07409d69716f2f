"""The question before something is destroyed."""

from __future__ import annotations

import sys

import typer

from beaver.text import json_line


def confirm(question: str, *, as_json: bool) -> None:
    """Ask on standard error, for programs as a line of JSON; raises typer.Abort for any answer but yes."""
    if not as_json:
        typer.confirm(question, abort=True, err=True)
        return
    typer.echo(json_line({"question": question}), err=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise typer.Abort
