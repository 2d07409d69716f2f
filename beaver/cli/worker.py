"""`beaver worker`: becomes `python -m worker`, which this package never imports."""

from __future__ import annotations

from typing import Annotated

import typer

from beaver.cli.options import ROOT_VARIABLE, Json, Root, instance_paths

Health = Annotated[bool, typer.Option("--health", help="Run nothing: exit 0 when a worker of this host lives, else 1.")]


def worker(root: Root = None, health: Health = False, as_json: Json = False) -> None:
    """Run a worker: it takes turns to the Gateway."""
    import os
    import sys

    paths = instance_paths(root)
    environment = {**os.environ, ROOT_VARIABLE: str(paths.root)}
    asked = [name for name, is_asked in (("--health", health), ("--json", as_json)) if is_asked]
    # -P: a folder `worker` in the current folder must not stand in for ours.
    os.execve(sys.executable, [sys.executable, "-P", "-m", "worker", *asked], environment)  # noqa: S606
