"""`beaver` in this process. Its commands are built once: that takes longer than most of them run."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any, Final

import typer
from typer.testing import CliRunner

from beaver.cli.main import app

BEAVER: Final[Any] = typer.main.get_command(app)


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its standard output as JSON."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error that it printed as JSON."""
        error: dict[str, Any] = json.loads(self.err)["error"]
        return error


def ran(*arguments: str, stdin: str | None = None) -> Outcome:
    """Run a command line to its end; what it raises but an exit comes out."""
    with CliRunner().isolation(input=stdin) as (out, err, _):
        code = _exit_code(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        return Outcome(code, out.getvalue().decode(), err.getvalue().decode())


def _exit_code(arguments: tuple[str, ...]) -> int:
    try:
        BEAVER.main(list(arguments), prog_name="beaver")
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0
