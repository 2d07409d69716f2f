"""The two options that every command takes, and what they come to."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

if TYPE_CHECKING:
    from beaver.config.paths import InstancePaths

ROOT_VARIABLE: Final = "BEAVER_ROOT"
_JSON: Final = "beaver.json"


def _remember_root(root: Path | None) -> Path | None:
    # Into the environment: `beaver --root X up` and `beaver up --root X` then mean the same, to child processes too.
    if root is not None:
        os.environ[ROOT_VARIABLE] = str(root.resolve())
    return root


def remember_json(ctx: typer.Context, as_json: bool) -> bool:
    """Keep, for the length of the command, whether it is to print JSON."""
    ctx.meta[_JSON] = as_json
    return as_json


def _root_option(envvar: str | None) -> Any:
    return typer.Option(
        "--root",
        metavar="DIR",
        envvar=envvar,
        show_envvar=False,
        exists=True,
        file_okay=False,
        callback=_remember_root,
        help=f"The instance's folder; its files lie in DIR/.beaver. Default: {ROOT_VARIABLE}, else the current folder.",
    )


Root = Annotated[Path | None, _root_option(ROOT_VARIABLE)]
# The same before the command. The variable is left to the command, whose own --root goes before it.
GlobalRoot = Annotated[Path | None, _root_option(None)]
Json = Annotated[bool, typer.Option("--json", callback=remember_json, help="Print JSON, errors too.")]


def instance_paths(root: Path | None) -> InstancePaths:
    """The paths of the instance that a command acts on."""
    from beaver.config.paths import InstancePaths

    return InstancePaths.at(root or os.environ.get(ROOT_VARIABLE) or Path.cwd())


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether `--json` stands among arguments that nobody has read yet."""
    options = itertools.takewhile(lambda argument: argument != "--", arguments)
    return "--json" in options


def wants_json(ctx: Any) -> bool:
    """Whether the command that runs (or ran) in this context was given `--json`."""
    return bool(ctx.meta.get(_JSON, False))
