"""`beaver gateway archive`: what maintenance put away, to look at and to restore."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from beaver.cli.gateway.desk import AppId, Limit, ProjectId, User, namespace_of, with_memory
from beaver.cli.options import Json, Root
from beaver.cli.output import one_line, print_json, print_rows, when

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="What maintenance put away.")


@app.command("search")
def search(
    user: User = None,
    query: Annotated[str, typer.Argument(help="Words that all must be in it; without, the last archived.")] = "",
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
    limit: Limit = 20,
) -> None:
    """List archived observations, the last archived first."""
    whose = namespace_of(root, user, app_id, project_id)
    found = with_memory(root, lambda memory: memory.search_archive(whose, query, limit=limit), of=whose)
    if as_json:
        print_json([asdict(one) for one in found])
        return
    rows = [
        {
            "id": one.observation.id,
            "archived": when(one.archived_ms),
            "reason": one.reason,
            "type": one.observation.type,
            "title": one.observation.title,
        }
        for one in found
    ]
    print_rows(rows, ("id", "archived", "reason", "type", "title"), empty="Nothing found.")


@app.command("restore")
def restore(
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="The observation's id.")],
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
) -> None:
    """Make an archived observation active again."""
    whose = namespace_of(root, user, app_id, project_id)
    restored = with_memory(root, lambda memory: memory.restore_observation(whose, memory_id), of=whose)
    if as_json:
        print_json(asdict(restored))
    else:
        typer.echo(f"Restored {one_line(restored.id)}.")
