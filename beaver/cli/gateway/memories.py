"""`beaver gateway memories`: what a user's memory holds: to read, edit and forget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beaver.cli.asking import confirm
from beaver.cli.gateway.desk import AppId, Limit, ProjectId, User, Yes, forgetting, namespace_of, with_memory
from beaver.cli.options import Json, Root
from beaver.cli.output import one_line, print_json, print_rows, when
from beaver.text import printable

if TYPE_CHECKING:
    from beaver.memory.listing.records import Memory

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="What a user's memory holds.")
MemoryId = Annotated[str, typer.Argument(metavar="ID", help="The memory's id.")]


@app.command("list")
def list_(
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only of this session.")] = None,
    limit: Limit = 50,
    cursor: Annotated[str | None, typer.Option(metavar="CURSOR", help="Go on here: from the page before.")] = None,
) -> None:
    """List messages and observations, the newest first."""
    from beaver.memory.listing.records import MemoryFilter

    whose, where = namespace_of(root, user, app_id, project_id), MemoryFilter(session_id=session)
    page = with_memory(root, lambda memory: memory.list_memories(whose, where, cursor=cursor, limit=limit), of=whose)
    if as_json:
        print_json({"memories": [_as_json(one) for one in page.memories], "next_cursor": page.next_cursor})
        return
    print_rows([_row(one) for one in page.memories], ("id", "at", "kind", "text"), empty="No memories.")
    if page.next_cursor is not None:
        typer.echo(f"Further memories: --cursor {page.next_cursor}")


@app.command("show")
def show(
    memory_id: MemoryId,
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
) -> None:
    """Print one memory in full."""
    whose = namespace_of(root, user, app_id, project_id)
    found = with_memory(root, lambda memory: memory.read_memory(whose, memory_id), of=whose)
    if as_json:
        print_json(_as_json(found))
        return
    for name, value in _as_json(found).items():
        if value not in (None, (), ""):
            typer.echo(f"{name.removesuffix('_ms')}: {printable(_told(name, value))}")


@app.command("search")
def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
    limit: Limit = 8,
) -> None:
    """Search as the Gateway does, by words alone."""
    from beaver.memory.records import Question
    from beaver.schemas.gateway import SCOPES

    whose, question = namespace_of(root, user, app_id, project_id), Question(query, "chat:", SCOPES, limit)
    found = with_memory(root, lambda memory: memory.search(whose, question), of=whose)
    if as_json:
        print_json([{**asdict(one), "why": dict(one.why)} for one in found])
        return
    rows = [
        {
            "id": one.id,
            "score": f"{one.score:.2f}",
            "scope": one.scope,
            "at": when(one.why.get("observed_ms", one.why.get("stored_ms"))),
            "document": _document(one.why),
            "superseded by": "; ".join(newer["title"] for newer in one.why.get("superseded_by", ())),
            "text": one.text,
        }
        for one in found
    ]
    told = [column for column in ("document", "superseded by") if any(row[column] for row in rows)]
    columns = ("id", "score", "scope", "at", *told, "text")
    print_rows(rows, columns, empty="Nothing found.")


def _document(why: Mapping[str, Any]) -> str:
    """Which document a passage is of, and where in it."""
    if "stored_ms" not in why:
        return ""
    page = f"page {why['page']}" if "page" in why else ""
    return ", ".join(filter(None, (" › ".join(filter(None, (why["title"], why.get("section")))), page)))


@app.command("edit")
def edit(
    memory_id: MemoryId,
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
    title: Annotated[str | None, typer.Option(help="A new title.")] = None,
    narrative: Annotated[str | None, typer.Option(help="A new narrative.")] = None,
    fact: Annotated[list[str] | None, typer.Option(help="In place of its facts; may be given again.")] = None,
) -> None:
    """Change what an observation says."""
    from beaver.errors import InvalidInput
    from beaver.memory.observations.records import ObservationEdit

    if title is None and narrative is None and not fact:
        raise InvalidInput("--title", "give it, --narrative or --fact")
    changes = ObservationEdit(title=title, narrative=narrative, facts=tuple(fact) if fact else None)
    whose = namespace_of(root, user, app_id, project_id)
    edited = with_memory(root, lambda memory: memory.edit_observation(whose, memory_id, changes), of=whose)
    if as_json:
        print_json(asdict(edited))
    else:
        typer.echo(f"Edited {one_line(edited.id)}.")


@app.command("history")
def history(
    memory_id: MemoryId,
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
) -> None:
    """Tell how an observation came about and changed, also after its end."""
    whose = namespace_of(root, user, app_id, project_id)
    entries = with_memory(root, lambda memory: memory.observation_history(whose, memory_id), of=whose)
    if as_json:
        print_json([asdict(entry) for entry in entries])
        return
    rows = [
        {"at": when(one.at_ms), "event": one.event, "reason": one.reason, "title": (one.after or {}).get("title")}
        for one in entries
    ]
    print_rows(rows, ("at", "event", "reason", "title"), empty="Nothing happened to it.")


@app.command("evidence")
def evidence(
    memory_id: MemoryId,
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
) -> None:
    """Show the messages that an observation was learned from."""
    whose = namespace_of(root, user, app_id, project_id)
    sources = with_memory(root, lambda memory: memory.observation_evidence(whose, memory_id), of=whose)
    if as_json:
        print_json([asdict(source) for source in sources])
        return
    rows = [
        {"id": one.evidence.message_id, "text": "(not here)" if one.message is None else one.message.content}
        for one in sources
    ]
    print_rows(rows, ("id", "text"), empty="It was not learned from messages.")


@app.command("forget")
def forget(
    memory_id: MemoryId,
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
    yes: Yes = False,
) -> None:
    """Remove a memory everywhere, with what was learned from it alone; it does not come back by itself."""
    if not yes:
        confirm(f"Forget {one_line(memory_id)} for good?", as_json=as_json)
    whose = namespace_of(root, user, app_id, project_id)
    forgotten = forgetting(root, lambda memory: memory.forget_memory(whose, memory_id), as_json=as_json, of=whose)
    if as_json:
        print_json(asdict(forgotten))
    else:
        typer.echo(f"Forgot {forgotten.messages} messages and {forgotten.observations} observations.")


def _as_json(one: Memory) -> dict[str, Any]:
    return asdict(one)


def _told(name: str, value: Any) -> str:
    """A field for a person to read: lists a line each, times as times."""
    if isinstance(value, tuple):
        return "".join(f"\n  - {one['message_id'] if isinstance(one, dict) else one}" for one in value)
    return when(value) if name.endswith("_ms") else str(value)


def _row(one: Memory) -> dict[str, Any]:
    from beaver.memory.listing.records import StoredMessage

    if isinstance(one, StoredMessage):
        return {"id": one.id, "at": when(one.observed_ms), "kind": one.role, "text": one.content}
    return {"id": one.id, "at": when(one.updated_ms), "kind": one.type, "text": one.title}
