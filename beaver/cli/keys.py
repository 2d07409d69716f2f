"""`beaver keys`: the chat server's API keys. A key is printed once, when it is made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beaver.cli.options import Json, Root
from beaver.cli.output import print_json, print_rows, when

if TYPE_CHECKING:
    from beaver.sessions.keys import KeyRecord

_DAY_MS = 86_400_000

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Create, list and revoke API keys.")


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the key is for.")],
    root: Root = None,
    as_json: Json = False,
    scope: Annotated[list[str] | None, typer.Option(help="chat, read or admin; may be given again.")] = None,
    front_end: Annotated[bool, typer.Option("--front-end", help="It may name the sessions of its users.")] = False,
    days: Annotated[int | None, typer.Option(min=1, max=36_500, help="Days until it expires; else never.")] = None,
) -> None:
    """Make a key and print it, this once. Without --scope it may `chat` and `read`."""
    import asyncio

    key_id, secret = asyncio.run(_create(root, name, scope or ["chat", "read"], front_end, days))
    if as_json:
        print_json({"id": key_id, "key": secret})
    else:
        typer.echo(f"{secret}\nThis is {key_id}. Keep it now: it is not stored and cannot be shown again.")


async def _create(
    root: Path | None, name: str, scopes: list[str], front_end: bool, days: int | None
) -> tuple[str, str]:
    from beaver.cli.database import session_database
    from beaver.ids import new_id
    from beaver.sessions.key_store import KeyStore
    from beaver.sessions.keys import make_key, validate_name, validate_scopes

    granted, key, key_id = validate_scopes(scopes), make_key(), new_id("key")
    lifetime_ms = None if days is None else days * _DAY_MS
    async with session_database(root) as database, database.write() as tx:
        await KeyStore(database.dialect).add(
            tx, key_id, key, name=validate_name(name), scopes=granted, front_end=front_end, lifetime_ms=lifetime_ms
        )
    return key_id, key.secret


@app.command("list")
def list_(
    root: Root = None,
    as_json: Json = False,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Most keys to list.")] = 50,
    after: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on behind this: the id of the last key of the page before.")
    ] = None,
) -> None:
    """List the keys, newest first, by id, name and first characters; never the keys themselves."""
    import asyncio

    rows = [_key_json(record) for record in asyncio.run(_list(root, limit, after))]
    if as_json:
        print_json(rows)
        return
    times = ("expires_ms", "revoked_ms", "used_ms")
    shown = [{**row, "scopes": " ".join(row["scopes"]), **{t[:-3]: when(row[t]) for t in times}} for row in rows]
    print_rows(shown, ("id", "name", "prefix", "scopes", "used", "expires", "revoked"), empty="No such keys.")
    if len(rows) == limit:
        typer.echo(f"Further keys, if any: --after {rows[-1]['id']}")


async def _list(root: Path | None, limit: int, after: str | None) -> list[KeyRecord]:
    from beaver.cli.database import session_database
    from beaver.sessions.key_store import KeyStore

    async with session_database(root) as database, database.read() as tx:
        return await KeyStore(database.dialect).list_keys(tx, limit=limit, after=after)


def _key_json(record: KeyRecord) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(record), "scopes": sorted(record.scopes)}


@app.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The key's id.")], root: Root = None, as_json: Json = False
) -> None:
    """End a key at once."""
    import asyncio

    asyncio.run(_revoke(root, key_id))
    if as_json:
        print_json({"id": key_id, "revoked": True})
    else:
        typer.echo("Revoked.")


async def _revoke(root: Path | None, key_id: str) -> None:
    from beaver.cli.database import session_database
    from beaver.errors import NotFound
    from beaver.sessions.key_store import KeyStore

    async with session_database(root) as database, database.write() as tx:
        if not await KeyStore(database.dialect).revoke(tx, key_id):
            raise NotFound("there is no key of this id; `beaver keys list` shows them")
