"""`beaver queue resolve`: settle turns whose outcome is unknown by what a person has found out at the Gateway."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beaver.cli.options import Json, Root
from beaver.cli.output import print_json
from beaver.cli.queue.desk import Actor, Reason, open_desk, operator
from beaver.cli.queue.several import print_moved
from beaver.errors import InvalidInput

if TYPE_CHECKING:
    from beaver.outbox.operations import Moved, Operator


def resolve(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")],
    root: Root = None,
    as_json: Json = False,
    applied: Annotated[
        bool, typer.Option("--applied", help="The Gateway has it: an add goes on to its flush, a flush is done.")
    ] = False,
    lost: Annotated[
        bool, typer.Option("--lost", help="The Gateway has it not: it becomes add_refused or flush_failed.")
    ] = False,
    actor: Actor = None,
    reason: Reason = None,
) -> None:
    """Settle a turn whose outcome is unknown (add_unknown, flush_unknown). Nothing is added again by it."""
    import asyncio

    if applied == lost:
        raise InvalidInput("--applied/--lost", "say which of the two it is")
    moved = asyncio.run(_resolve(root, run_id, operator(actor, reason), applied))
    if as_json:
        print_json(asdict(moved))
    else:
        print_moved("Settled", moved)


async def _resolve(root: Path | None, run_id: str, by: Operator, applied: bool) -> Moved:
    async with open_desk(root) as desk:
        return await desk.operations.resolve(run_id, by, applied=applied)
