"""The question before something is destroyed."""

from __future__ import annotations

import json
import sys

import typer


def confirm(question: str, *, as_json: bool) -> None:
    """Ask on standard error, for programs as a line of JSON; raises typer.Abort for any answer but yes."""
    if not as_json:
        typer.confirm(question, abort=True, err=True)
        return
    typer.echo(json.dumps({"question": question}, ensure_ascii=False), err=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise typer.Abort
