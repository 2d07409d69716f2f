"""`beaver gateway users`: who may use the memory, and their keys. A key is printed once, when it is made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from beaver.cli.asking import confirm
from beaver.cli.gateway.desk import Limit, Yes, forgetting, settings_of, with_memory
from beaver.cli.options import Json, Root, instance_paths
from beaver.cli.output import one_line, print_json, print_rows, when
from beaver.text import printable

if TYPE_CHECKING:
    from beaver.memory.records import NewUser

KEY_SHOWN: int = 12
_MEMORY: Final = "memory"

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The Memory Gateway's users.")
UserId = Annotated[str, typer.Argument(metavar="ID", help="The user's id.")]


@app.command("add")
def add_user(
    user_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The user's id; without it, one is chosen.")
    ] = None,
    root: Root = None,
    as_json: Json = False,
    configure: Annotated[
        bool,
        typer.Option(
            "--configure", help="Have this folder chat as the user: config.json gets memory.mode and gateway."
        ),
    ] = False,
) -> None:
    """Add a user and print its key, which is shown this once: only its hash is kept."""
    if configure:
        _check_configurable(root)
    user = with_memory(root, lambda memory: memory.create_user(user_id))
    if configure:
        _configure(root, user, as_json)
    else:
        _print_key(user.user_id, user.key, as_json)


@app.command("list")
def list_(
    root: Root = None,
    as_json: Json = False,
    limit: Limit = 50,
    after: Annotated[str, typer.Option(metavar="ID", help="Go on behind this user.")] = "",
) -> None:
    """List the users by id."""
    found = with_memory(root, lambda memory: memory.list_users(after=after, limit=limit))
    if as_json:
        print_json([{"user_id": user_id, "created_ms": created_ms} for user_id, created_ms in found])
        return
    rows = [{"user": user_id, "added": when(created_ms)} for user_id, created_ms in found]
    print_rows(rows, ("user", "added"), empty="No users.")
    if len(found) == limit:
        typer.echo(f"Further users, if any: --after {one_line(found[-1][0])}")


@app.command("keys")
def keys(user_id: UserId, root: Root = None, as_json: Json = False) -> None:
    """List a user's keys by the beginning of their hashes; never the keys themselves."""
    found = with_memory(root, lambda memory: memory.list_keys(user_id))
    rows = [{"key": key.hash[:KEY_SHOWN], "created_ms": key.created_ms, "revoked_ms": key.revoked_ms} for key in found]
    if as_json:
        print_json(rows)
        return
    shown = [
        {"key": key.hash[:KEY_SHOWN], "made": when(key.created_ms), "revoked": when(key.revoked_ms)} for key in found
    ]
    print_rows(shown, ("key", "made", "revoked"), empty="No keys.")


@app.command("rotate-key")
def rotate_key(user_id: UserId, root: Root = None, as_json: Json = False) -> None:
    """Give a user one more key and print it, this once. The others work until they are revoked."""
    user = with_memory(root, lambda memory: memory.add_key(user_id))
    _print_key(user.user_id, user.key, as_json)


@app.command("revoke-key")
def revoke_key(
    user_id: UserId,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The beginning of its hash, as `keys` shows it.")],
    root: Root = None,
    as_json: Json = False,
) -> None:
    """End a key. A running Gateway may believe it for 3 seconds more."""
    revoked = with_memory(root, lambda memory: memory.revoke_key(user_id, key))
    if as_json:
        print_json({"key": revoked.hash[:KEY_SHOWN], "revoked_ms": revoked.revoked_ms})
    else:
        typer.echo("Revoked.")


@app.command("remove")
def remove(user_id: UserId, root: Root = None, as_json: Json = False, yes: Yes = False) -> None:
    """Remove a user with everything that is theirs, for good."""
    if not yes:
        confirm(f"Remove {one_line(user_id)} with every memory of theirs?", as_json=as_json)
    forgetting(root, lambda memory: memory.forget_user(user_id), as_json=as_json)
    if as_json:
        print_json({"removed": user_id})
    else:
        typer.echo(f"Removed {one_line(user_id)}.")


def _check_configurable(root: Path | None) -> None:
    """Before there is a user whose key nobody would see."""
    from beaver.config.write import check_addable

    check_addable(instance_paths(root), _MEMORY, ("mode", "gateway"))


def _configure(root: Path | None, user: NewUser, as_json: bool) -> None:
    from beaver.config.write import add_to_config
    from beaver.embedded.provision import memory_config
    from beaver.schemas.gateway import UserReceipt

    paths = instance_paths(root)
    receipt = UserReceipt(user_id=user.user_id, user_key=user.key)
    add_to_config(paths, _MEMORY, memory_config(settings_of(root), receipt))
    if as_json:
        print_json({"user_id": user.user_id, "config": str(paths.config)})
        return
    typer.echo(f"user: {printable(user.user_id)}")
    typer.echo(f"{printable(str(paths.config))} holds its id and key now; start Beaver again.")


def _print_key(user_id: str, key: str, as_json: bool) -> None:
    if as_json:
        print_json({"user_id": user_id, "user_key": key})
        return
    typer.echo(f"user: {printable(user_id)}")
    typer.echo(f"key:  {key}")
    typer.echo("Keep the key now; it cannot be shown again. It goes to memory.gateway.userKey.", err=True)
