"""`beaver gateway resources`: documents that a user's searches find."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from beaver.cli.asking import confirm
from beaver.cli.gateway.desk import AppId, Limit, ProjectId, User, Yes, forgetting, namespace_of, with_memory
from beaver.cli.options import Json, Root
from beaver.cli.output import one_line, print_json, print_rows, when
from beaver.text import printable

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Documents that a user's searches find.")


@app.command("add")
def add(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="Markdown, text, HTML or PDF.")
    ],
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
    uri: Annotated[str | None, typer.Option(help="Under which name; without it, the file's own address.")] = None,
) -> None:
    """Store a file's words. The same name again replaces what stood there."""
    from beaver.memory.resources.reading import FILE_BYTES_MAX, read_file

    whose = namespace_of(root, user, app_id, project_id)
    with file.open("rb") as source:
        data = source.read(FILE_BYTES_MAX + 1)
    document = read_file(data, file.name, uri or file.resolve().as_uri())
    stored = with_memory(root, lambda memory: memory.put_resource(whose, document), of=whose)
    if as_json:
        print_json({"uri": document.uri, "title": document.title, **asdict(stored)})
    else:
        done = "Replaced" if stored.replaced else "Stored"
        typer.echo(f"{done} {one_line(document.title)} ({stored.passages} passages) as {one_line(document.uri, 300)}")


@app.command("list")
def list_(
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
    limit: Limit = 50,
    cursor: Annotated[str | None, typer.Option(metavar="CURSOR", help="Go on here: from the page before.")] = None,
) -> None:
    """List the documents in the order of their URIs."""
    whose = namespace_of(root, user, app_id, project_id)
    page = with_memory(root, lambda memory: memory.list_resources(whose, cursor=cursor, limit=limit), of=whose)
    if as_json:
        print_json({"resources": [asdict(one) for one in page.resources], "next_cursor": page.next_cursor})
        return
    rows = [{**asdict(one), "changed": when(one.updated_ms)} for one in page.resources]
    print_rows(rows, ("uri", "title", "characters", "changed"), empty="No resources.")
    if page.next_cursor is not None:
        typer.echo(f"Further resources: --cursor {printable(page.next_cursor)}")


@app.command("remove")
def remove(
    uri: Annotated[str, typer.Argument(metavar="URI", help="The document's URI.")],
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
    yes: Yes = False,
) -> None:
    """Remove a document, for good."""
    if not yes:
        confirm(f"Remove {one_line(uri, 300)}?", as_json=as_json)
    whose = namespace_of(root, user, app_id, project_id)
    forgotten = forgetting(root, lambda memory: memory.forget_resource(whose, uri), as_json=as_json, of=whose)
    if as_json:
        print_json(asdict(forgotten))
    else:
        typer.echo("Removed.")
