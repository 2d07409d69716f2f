"""`beaver check`: what is wrong with the configuration, and which parts answer."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from beaver.cli.options import Json, Root, instance_paths
from beaver.cli.output import print_json
from beaver.text import printable

if TYPE_CHECKING:
    from beaver.cli.part_finding import PartFinding
    from beaver.config.settings import Settings

_MARKS: Final = {"error": "✗", "warning": "!", "ok": "✓"}


def check(root: Root = None, as_json: Json = False) -> None:
    """Check the configuration, and which parts answer.

    Exit code 0 when no rule of the configuration is broken, 78 otherwise: a part that does not answer breaks none.
    """
    from beaver.cli.reachability import look_at_parts

    report(root, as_json, look_at_parts)


def report(
    root: Path | None, as_json: bool, look: Callable[[Settings], Coroutine[Any, Any, list[PartFinding]]]
) -> None:
    """Print what is wrong with the configuration, and what `look` finds of the parts; then exit."""
    import asyncio
    import io
    import os
    from dataclasses import asdict

    from beaver.config.check import check_instance
    from beaver.config.loader import load_settings
    from beaver.logs import configure_logs
    from beaver.redaction import Redactor

    # What the parts' clients would log is what is told here.
    configure_logs("cli", Redactor(), stream=io.StringIO())
    paths = instance_paths(root)
    findings = check_instance(paths, os.environ)
    broken = any(finding.severity == "error" for finding in findings)
    parts = [] if broken else asyncio.run(look(load_settings(paths, os.environ)))
    broken = broken or any(part.severity == "error" for part in parts)
    if as_json:
        rules, reached = [asdict(finding) for finding in findings], [asdict(part) for part in parts]
        print_json({"ok": not broken, "config": str(paths.config), "findings": rules, "parts": reached})
    else:
        _print(paths.config.exists(), str(paths.config), findings, parts)
    raise typer.Exit(78 if broken else 0)


def _print(exists: bool, config: str, findings: list[Any], parts: list[Any]) -> None:
    typer.echo(f"Configuration: {config}" + ("" if exists else " (not there: the defaults hold)"))
    for finding in findings:
        typer.echo(f"  {_MARKS[finding.severity]} {finding.field}: {printable(finding.message)}")
    if not parts:
        typer.echo("The parts were not asked: mend the errors first.")
        return
    typer.echo("Parts:")
    for part in parts:
        typer.echo(f"  {_MARKS[part.severity]} {part.part}: {printable(part.message)}")
        if part.next_step:
            typer.echo(f"      {part.next_step}")
