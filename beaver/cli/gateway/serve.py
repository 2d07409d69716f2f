"""`beaver gateway`: the Memory Gateway server and its users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from beaver.cli.options import Json, Root, instance_paths
from beaver.cli.output import print_json

if TYPE_CHECKING:
    from beaver.config.settings import Settings
    from beaver.schemas.gateway import UserReceipt

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Run the Memory Gateway; add its users.")
users = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The Memory Gateway's users.")
app.add_typer(users, name="users")


@app.command("serve")
def serve(
    root: Root = None,
    as_json: Json = False,  # noqa: ARG001 - main.py reads it
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Instead of gatewayServer.port.")] = None,
) -> None:
    """Run the Memory Gateway server."""
    import os

    from beaver.config.loader import load_settings
    from beaver.gateway.serve import serve as run_server

    run_server(_on_port(load_settings(instance_paths(root), os.environ), port))


def _on_port(settings: Settings, port: int | None) -> Settings:
    from dataclasses import replace

    if port is None:
        return settings
    return replace(settings, gateway_server=settings.gateway_server.model_copy(update={"port": port}))


@users.command("add")
def add_user(
    user_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The user's id; without it, one is chosen.")
    ] = None,
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Add a user and print its key, which is shown this once: only its hash is kept."""
    import asyncio
    import os

    from beaver.config.loader import load_settings

    user = asyncio.run(_add_user(load_settings(instance_paths(root), os.environ), user_id))
    if as_json:
        print_json(user.model_dump())
        return
    typer.echo(f"user: {user.user_id}")
    typer.echo(f"key:  {user.user_key}")
    typer.echo("Keep the key now; it cannot be shown again. It goes to memory.gateway.userKey.", err=True)


async def _add_user(settings: Settings, user_id: str | None) -> UserReceipt:
    from beaver.memory.runtime import MemoryRuntime
    from beaver.schemas.gateway import UserReceipt

    runtime = await MemoryRuntime.open(settings.gateway_url)
    try:
        user = await runtime.create_user(user_id)
        return UserReceipt(user_id=user.user_id, user_key=user.key)
    finally:
        await runtime.close()
