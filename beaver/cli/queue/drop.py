"""`beaver queue drop`: give up turns that ended badly, so that nothing of them is sent any more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beaver.cli.asking import confirm
from beaver.cli.options import Json, Root
from beaver.cli.queue.desk import Actor, Reason, Yes, open_desk, operator
from beaver.cli.queue.filters import Category, HttpStatus, NewerThan, OlderThan, Session, States, turn_filter
from beaver.cli.queue.several import check_choice, collect, report
from beaver.errors import InvalidInput

if TYPE_CHECKING:
    from beaver.outbox.inspection import TurnFilter
    from beaver.outbox.operations import Moved, Operator, Refused


def drop(
    runs: Annotated[list[str] | None, typer.Argument(metavar="RUN", help="Ids of the runs.")] = None,
    root: Root = None,
    as_json: Json = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="All turns that the filters match; without --state those of add_refused and flush_failed."
        ),
    ] = False,
    state: States = None,
    session: Session = None,
    older_than: OlderThan = None,
    newer_than: NewerThan = None,
    category: Category = None,
    http_status: HttpStatus = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="With --all: most turns, the oldest first.")] = 1000,
    actor: Actor = None,
    reason: Reason = None,
    yes: Yes = False,
) -> None:
    """Give up turns whose add was refused or whose flush failed: they become `skipped` and are never sent again.

    For turns that nothing can deliver any more, such as those of a user that the Gateway has no more. The conversations
    stay. One whose outcome is unknown is settled first (`beaver queue resolve`).
    """
    import asyncio

    wanted = turn_filter(state, session, older_than, newer_than, category, http_status)
    check_choice(runs or [], everything, wanted)
    named = list(dict.fromkeys(runs or []))
    outcomes = asyncio.run(_drop(root, named, wanted, operator(actor, reason), limit, yes=yes, as_json=as_json))
    report("Dropped", *outcomes, as_json=as_json, each=bool(runs))


async def _drop(
    root: Path | None, runs: list[str], wanted: TurnFilter, by: Operator, limit: int, *, yes: bool, as_json: bool
) -> tuple[list[Moved], list[Refused]]:
    async with open_desk(root) as desk:
        chosen = wanted if runs else _bulk(wanted)
        total = len(runs) or min(await desk.operations.count(chosen), limit)
        if total and not yes:
            confirm(f"Give up {total} turns, so that the Gateway never gets them?", as_json=as_json)
        if len(runs) == 1:
            return [await desk.operations.drop(runs[0], by)], []
        acts = desk.operations
        dropping = acts.drop_each(runs, by) if runs else acts.drop_matching(chosen, by, limit=total)
        return await collect(dropping, total, "Dropping")


def _bulk(wanted: TurnFilter) -> TurnFilter:
    from beaver.outbox.operations import DROPPABLE

    chosen = wanted.states or DROPPABLE
    if not set(chosen) <= set(DROPPABLE):
        raise InvalidInput("--state", f"must be one of {', '.join(DROPPABLE)}: no other can be dropped")
    return replace(wanted, states=chosen)
