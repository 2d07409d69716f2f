"""`beaver gateway resources`: documents that a user's searches find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beaver.cli.asking import confirm
from beaver.cli.gateway.desk import AppId, Limit, ProjectId, User, Yes, forgetting, namespace_of, progress, with_memory
from beaver.cli.options import Json, Root
from beaver.cli.output import one_line, print_json, print_rows, when
from beaver.text import printable

if TYPE_CHECKING:
    from beaver.errors import InvalidInput
    from beaver.memory.namespace import Namespace
    from beaver.memory.records import NewDocument, StoredDocument
    from beaver.memory.runtime import MemoryRuntime

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Documents that a user's searches find.")


@app.command("add")
def add(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="Markdown, text, HTML or PDF.")
    ],
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
    uri: Annotated[
        str | None, typer.Option(help="Under which name, for one file; without it, the file's own address.")
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="That of text and HTML which is not UTF-8, as gbk or windows-1252."),
    ] = None,
) -> None:
    """Store files' words. The same name again replaces what stood there. Of several files those that can be read are stored."""
    from beaver.errors import InvalidInput, exit_code

    if uri is not None and len(files) > 1:
        raise InvalidInput("--uri", "is for one file")
    whose = namespace_of(root, user, app_id, project_id)
    given = [_Given(file, uri or file.resolve().as_uri(), encoding) for file in files]
    with progress("Storing", as_json=as_json or len(files) == 1) as on_progress:
        outcomes = with_memory(root, lambda memory: _store_all(memory, whose, given, on_progress), of=whose)
    if len(files) == 1 and isinstance(outcomes[0], InvalidInput):
        raise outcomes[0]
    if as_json:
        told = [_as_json(one, outcome) for one, outcome in zip(given, outcomes, strict=True)]
        print_json(told[0] if len(told) == 1 else {"resources": told})
    else:
        for one, outcome in zip(given, outcomes, strict=True):
            typer.echo(_told(one, outcome), err=isinstance(outcome, InvalidInput))
    refused = [outcome for outcome in outcomes if isinstance(outcome, InvalidInput)]
    if refused:
        raise typer.Exit(exit_code(refused[0]))


@dataclass(frozen=True)
class _Given:
    """A file to store, and what its owner says of it."""

    file: Path
    uri: str
    encoding: str | None


@dataclass(frozen=True)
class _Done:
    document: NewDocument
    stored: StoredDocument
    silent_pages: Sequence[int]


async def _store_all(
    memory: MemoryRuntime, whose: Namespace, given: Sequence[_Given], on_progress: Callable[[int, int], None]
) -> list[_Done | InvalidInput]:
    """Each file by itself, so that what was stored before a command was broken off stays, and is unchanged the next time."""
    from beaver.errors import InvalidInput
    from beaver.memory.resources.passages import silent_pages

    outcomes: list[_Done | InvalidInput] = []
    for number, one in enumerate(given, start=1):
        try:
            document = _read(one)
            stored = await memory.put_resource(whose, document)
            outcomes.append(_Done(document, stored, silent_pages(document.content)))
        except InvalidInput as refused:
            outcomes.append(refused)
        on_progress(number, len(given))
    return outcomes


def _read(one: _Given) -> NewDocument:
    from beaver.memory.resources.reading import FILE_BYTES_MAX, read_file

    with one.file.open("rb") as source:
        data = source.read(FILE_BYTES_MAX + 1)
    return read_file(data, one.file.name, one.uri, encoding=one.encoding)


def _as_json(one: _Given, outcome: _Done | InvalidInput) -> dict[str, Any]:
    if not isinstance(outcome, _Done):
        return {"file": str(one.file), "refused": {"field": outcome.field, "rule": outcome.rule}}
    document = outcome.document
    pages = {"silent_pages": list(outcome.silent_pages)} if outcome.silent_pages else {}
    return {"uri": document.uri, "title": document.title, **asdict(outcome.stored), **pages}


def _told(one: _Given, outcome: _Done | InvalidInput) -> str:
    if not isinstance(outcome, _Done):
        return f"{one_line(one.file, 300)}: {outcome}"
    stored, document = outcome.stored, outcome.document
    done = "Unchanged:" if stored.unchanged else "Replaced" if stored.replaced else "Stored"
    said = f"{done} {one_line(document.title)} ({stored.passages} passages) as {one_line(document.uri, 300)}"
    silent = ", ".join(map(str, outcome.silent_pages))
    return f"{said}\nWithout text, perhaps scanned: {one_line(f'page {silent}')}" if silent else said


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
