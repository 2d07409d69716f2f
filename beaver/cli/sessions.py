"""`beaver sessions`: what is stored of the conversations, and what became of their turns."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from beaver.cli.asking import confirm
from beaver.cli.options import Json, Root
from beaver.cli.output import one_line, print_json, print_rows, when
from beaver.text import printable

if TYPE_CHECKING:
    from beaver.db.engine import Transaction
    from beaver.sessions.listing import ListedSession
    from beaver.sessions.records import StoredEvent
    from beaver.sessions.search import TranscriptHit
    from beaver.sessions.store import SessionStore

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Look at stored sessions; search or delete them.")

_NO_SUCH: Final = "there is no such session; `beaver sessions list` shows those that there are"
SessionId = Annotated[str, typer.Argument(metavar="ID", help="The session's id.")]


@app.command("list")
def list_(
    root: Root = None,
    as_json: Json = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most sessions to list.")] = 50,
) -> None:
    """List sessions, the one used last first."""
    import asyncio

    found = asyncio.run(_list(root, limit))
    if as_json:
        print_json([asdict(session) for session in found])
    else:
        print_rows(
            [_session_row(session) for session in found],
            ("id", "updated", "title"),
            empty='No sessions yet: `beaver chat -m "Hello"` starts one.',
        )


async def _list(root: Path | None, limit: int) -> list[ListedSession]:
    from beaver.cli.database import session_database
    from beaver.sessions.listing import list_sessions

    async with session_database(root) as database, database.read() as tx:
        return await list_sessions(tx, limit=limit)


def _session_row(session: ListedSession) -> dict[str, Any]:
    """One that nobody has named goes by its first words."""
    return {"id": session.id, "updated": when(session.updated_ms), "title": session.title or session.preview}


@app.command("show")
@app.command("messages", hidden=True)
def show(
    session_id: SessionId,
    root: Root = None,
    as_json: Json = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Most messages, counted from the newest.")] = 1000,
) -> None:
    """Print a session's messages, oldest first."""
    import asyncio

    messages = asyncio.run(_messages(root, session_id, limit))
    if as_json:
        print_json([event_json(message) for message in messages])
        return
    for message in messages:
        typer.echo(f"[{when(message.created_ms)}] {message.role}")
        typer.echo(printable(message.content) + "\n")


async def _messages(root: Path | None, session_id: str, limit: int) -> list[StoredEvent]:
    from beaver.cli.database import session_database
    from beaver.sessions.store import SessionStore

    async with session_database(root) as database, database.read() as tx:
        store = SessionStore(database.dialect)
        await _must_exist(store, tx, session_id)
        return await store.history(tx, session_id, limit=limit)


@app.command("events")
def events(
    session_id: SessionId,
    root: Root = None,
    as_json: Json = False,
    after: Annotated[int, typer.Option(min=0, help="Only events with a greater id.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Most events.")] = 500,
) -> None:
    """Print a session's audit trail: messages and hidden events, in the order they were stored."""
    import asyncio

    found = asyncio.run(_events(root, session_id, after, limit))
    if as_json:
        print_json([event_json(event) for event in found])
    else:
        print_rows([_event_row(event) for event in found], ("id", "at", "run", "event", "detail"), empty="No events.")


async def _events(root: Path | None, session_id: str, after: int, limit: int) -> list[StoredEvent]:
    from beaver.cli.database import session_database
    from beaver.sessions.store import SessionStore

    async with session_database(root) as database, database.read() as tx:
        store = SessionStore(database.dialect)
        await _must_exist(store, tx, session_id)
        return await store.events(tx, session_id, after_id=after, limit=limit)


@app.command("search")
def search(
    query: Annotated[str, typer.Argument(help="Words to look for.")],
    root: Root = None,
    as_json: Json = False,
    limit: Annotated[int, typer.Option(min=1, max=10, help="Most sessions to show.")] = 3,
) -> None:
    """Search what users and the assistant said; the best hit of each session, with what stands around it."""
    import asyncio

    found = asyncio.run(_search(root, query, limit))
    if as_json:
        print_json([{**asdict(hit), "preview": preview} for hit, preview in found])
        return
    if not found:
        typer.echo("Nothing found.")
    for hit, preview in found:
        _print_hit(hit, preview)


async def _search(root: Path | None, query: str, limit: int) -> list[tuple[TranscriptHit, str | None]]:
    """Hits, each with the first words of its session."""
    from beaver.cli.database import session_database
    from beaver.sessions.listing import find_listed
    from beaver.sessions.search import TranscriptSearch

    async with session_database(root) as database, database.read() as tx:
        hits = await TranscriptSearch(database.dialect).discover(tx, query, limit=limit)
        listed = [await find_listed(tx, hit.session_id) for hit in hits]
        return [(hit, None if one is None else one.preview) for hit, one in zip(hits, listed, strict=True)]


def _print_hit(hit: TranscriptHit, preview: str | None) -> None:
    typer.echo(f"{hit.session_id}  {when(hit.created_ms)}  {one_line(hit.title or preview)}".rstrip())
    for message in hit.messages:
        mark = ">" if message.id == hit.event_id else " "
        typer.echo(f"{mark} {message.role}: {one_line(message.content, 300)}")
    typer.echo()


@app.command("delete")
def delete(
    session_id: SessionId,
    root: Root = None,
    as_json: Json = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a session with everything of it, and what is remembered for it alone.

    What was learnt from it for good stays: here (`beaver memory forget --session ID`) and at the Memory Gateway.
    """
    import asyncio

    if not yes:
        confirm(f"Delete session {one_line(session_id)} and everything of it?", as_json=as_json)
    asyncio.run(_delete(root, session_id))
    if as_json:
        print_json({"deleted": session_id})
    else:
        typer.echo(f"Deleted {one_line(session_id)}.")


async def _delete(root: Path | None, session_id: str) -> None:
    from beaver.cli.memory.desk import open_commands
    from beaver.cli.options import instance_paths
    from beaver.errors import NotFound

    instance_paths(root).former_chat_history.unlink(missing_ok=True)
    async with open_commands(root) as commands:
        try:
            await commands.delete_session(session_id)
        except NotFound:
            raise NotFound(_NO_SUCH) from None


async def _must_exist(store: SessionStore, tx: Transaction, session_id: str) -> None:
    from beaver.errors import NotFound

    if await store.find_session(tx, session_id) is None:
        raise NotFound(_NO_SUCH)


def event_json(event: StoredEvent) -> dict[str, Any]:
    """An event for programs."""
    return {**asdict(event), "payload": dict(event.payload)}


def _event_row(event: StoredEvent) -> dict[str, Any]:
    import json

    detail = event.content if event.context_visible else json.dumps(dict(event.payload), ensure_ascii=False)
    return {
        "id": event.id,
        "at": when(event.created_ms),
        "run": event.run_id,
        "event": f"{event.kind} ({event.role})" if event.role else event.kind,
        "detail": detail,
    }
