"""`beaver serve`: one chat server."""

from __future__ import annotations

from beaver.cli.options import Json, Root, instance_paths


def serve(root: Root = None, as_json: Json = False) -> None:  # noqa: ARG001 - main.py reads it
    """Run a chat server.

    It needs the session store; Redis and the Gateway are best-effort.
    """
    import os

    from beaver.cli.local_memory.opening import open_local_store
    from beaver.config.loader import load_settings
    from beaver.server.serve import serve as run_server

    run_server(load_settings(instance_paths(root), os.environ), open_local_store)
