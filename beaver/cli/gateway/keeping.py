"""`beaver gateway reindex`, `maintain` and `stats`: the memory's upkeep, and how much it holds."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from beaver.cli.gateway.desk import memory, progress, settings_of, with_memory
from beaver.cli.options import Json, Root
from beaver.cli.output import print_json, print_rows

if TYPE_CHECKING:
    from beaver.memory.embedding.migration import Coverage


def reindex(root: Root = None, as_json: Json = False) -> None:
    """Give everything that is stored vectors of the configured encoder. Searches go on meanwhile."""
    import asyncio

    last = asyncio.run(_reindex(root, as_json))
    if as_json:
        print_json(None if last is None else {**asdict(last), "others": dict(last.others)})
    else:
        typer.echo(_told(last))


def _told(last: Coverage | None) -> str:
    if last is None:
        return "No encoder is to be had: words alone are searched by."
    return f"{last.embedded} of {last.passages} passages have vectors of {last.model}."


async def _reindex(root: Path | None, as_json: bool) -> Coverage | None:
    last = None
    async with memory(root, encoding=True) as runtime:
        with progress("Encoding", as_json=as_json) as on_progress:
            async for last in runtime.reindex():
                on_progress(last.embedded, last.passages)
    return last


def maintain(root: Root = None, as_json: Json = False) -> None:
    """Run maintenance once: compress what is old, archive what nobody uses, delete what was archived long ago."""
    from beaver.gateway.maintaining import policy_of

    policy = policy_of(settings_of(root).gateway_server.retention)
    report = with_memory(root, lambda runtime: runtime.maintain(policy))
    if as_json:
        print_json(asdict(report))
    elif not report.ran:
        typer.echo("Another process is at it.")
    else:
        typer.echo(
            f"{report.compressed} compressed into {report.summaries}, {report.archived} archived, "
            f"{report.deleted} deleted from the archive, {report.leftovers} killed imports cleared away, "
            f"in {report.duration_ms / 1000:.1f} s."
        )


def stats(root: Root = None, as_json: Json = False) -> None:
    """Count what is stored."""
    figures = with_memory(root, lambda runtime: runtime.figures())
    if as_json:
        users = [{"user_id": user_id, "passages": held} for user_id, held in figures.largest_users]
        print_json({**asdict(figures), "counts": dict(figures.counts), "largest_users": users})
        return
    rows = [{"kind": kind, "rows": count} for kind, count in figures.counts.items()]
    print_rows(rows, ("kind", "rows"), empty="")
    typer.echo(f"Passages without vectors: {figures.without_vectors}.")
    typer.echo(f"The database is {figures.database_bytes / 1_000_000:.1f} MB.")
    if figures.largest_users:
        typer.echo()
        largest = [{"user": user_id, "passages": held} for user_id, held in figures.largest_users]
        print_rows(largest, ("user", "passages"), empty="")
