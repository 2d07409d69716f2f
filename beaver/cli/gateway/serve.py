"""`beaver gateway serve`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from beaver.cli.options import Json, Root, instance_paths

if TYPE_CHECKING:
    from beaver.config.settings import Settings


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
