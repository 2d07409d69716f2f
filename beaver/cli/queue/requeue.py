"""`beaver queue requeue`: send turns again that ended badly, one, several or all that match."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beaver.cli.asking import confirm
from beaver.cli.options import Json, Root
from beaver.cli.queue.desk import Actor, Desk, Reason, Yes, open_desk, operator
from beaver.cli.queue.filters import Category, HttpStatus, NewerThan, OlderThan, Session, States, turn_filter
from beaver.cli.queue.several import check_choice, collect, report
from beaver.errors import InvalidInput

if TYPE_CHECKING:
    from beaver.outbox.inspection import TurnFilter
    from beaver.outbox.operations import Consent, Moved, Operator, Refused


def requeue(
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
    accept_duplicate: Annotated[
        bool,
        typer.Option(
            "--accept-duplicate",
            help="Also send a turn again whose outcome is unknown (add_unknown, flush_unknown), though the Gateway may then "
            "have it twice. Needs --reason. A second flush is harmless to Beaver's own Gateway.",
        ),
    ] = False,
    actor: Actor = None,
    reason: Reason = None,
    yes: Yes = False,
) -> None:
    """Send turns again under a new attempt number.

    A refused add starts over; after a failed flush only the flush is repeated. An add whose outcome is unknown goes through
    with --accept-duplicate, or where memory.gateway.honoursIdempotencyKey says that the Gateway stores no turn twice. Turns
    that wait, are in a worker's hands or are delivered are left alone.
    """
    import asyncio

    wanted = turn_filter(state, session, older_than, newer_than, category, http_status)
    check_choice(runs or [], everything, wanted)
    by = operator(actor, reason)
    if runs:
        outcomes = asyncio.run(_requeue_runs(root, list(dict.fromkeys(runs)), by, accept_duplicate))
    else:
        outcomes = asyncio.run(
            _requeue_all(root, _bulk(wanted, reason), by, accept_duplicate, limit, yes=yes, as_json=as_json)
        )
    report("Requeued", *outcomes, as_json=as_json, each=bool(runs))


def _bulk(wanted: TurnFilter, reason: str | None) -> TurnFilter:
    from beaver.outbox.operations import REQUEUEABLE, SAFE_TO_REQUEUE, UNKNOWN

    chosen = wanted.states or SAFE_TO_REQUEUE
    if not set(chosen) <= set(REQUEUEABLE):
        raise InvalidInput("--state", f"must be one of {', '.join(REQUEUEABLE)}: no other can be sent again")
    if set(chosen) & set(UNKNOWN) and not (reason or "").strip():
        raise InvalidInput("--reason", "is needed to send again turns whose outcome is unknown")
    return replace(wanted, states=chosen)


async def _requeue_runs(
    root: Path | None, runs: list[str], by: Operator, accept_duplicate: bool
) -> tuple[list[Moved], list[Refused]]:
    async with open_desk(root) as desk:
        consent = _consent(desk, accept_duplicate)
        if len(runs) == 1:
            return [await desk.operations.requeue(runs[0], by, consent)], []
        return await collect(desk.operations.requeue_each(runs, by, consent), len(runs), "Requeueing")


async def _requeue_all(
    root: Path | None, wanted: TurnFilter, by: Operator, accept_duplicate: bool, limit: int, *, yes: bool, as_json: bool
) -> tuple[list[Moved], list[Refused]]:
    async with open_desk(root) as desk:
        matching = await desk.operations.count(wanted)
        total = min(matching, limit)
        if total and not yes:
            some = f"{total}" if total == matching else f"the oldest {total} of {matching}"
            confirm(f"Requeue {some} turns ({', '.join(wanted.states)})?", as_json=as_json)
        consent = _consent(desk, accept_duplicate)
        return await collect(desk.operations.requeue_matching(wanted, by, consent, limit=total), total, "Requeueing")


def _consent(desk: Desk, accept_duplicate: bool) -> Consent:
    from beaver.outbox.operations import Consent

    return Consent(accept_duplicate=accept_duplicate, key_honoured=desk.key_honoured)
