"""`beaver gateway check`."""

from __future__ import annotations

from beaver.cli.options import Json, Root


def check(root: Root = None, as_json: Json = False) -> None:
    """Check the configuration, and how this instance's Gateway stands: database, index, encoder, vectors, disk.

    Exit code 0 when no rule of the configuration is broken, 78 otherwise.
    """
    from beaver.cli.check import report
    from beaver.cli.gateway_parts import look_at_gateway

    report(root, as_json, look_at_gateway)
