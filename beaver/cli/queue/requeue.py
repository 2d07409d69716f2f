"""`beaver queue requeue`: send turns again that ended badly, one, several or all that match."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from beaver.cli.asking import confirm
from beaver.cli.options import Json, Root
from beaver.cli.output import one_line, print_json
from beaver.cli.queue.desk import Actor, Desk, Reason, Yes, open_desk, operator, progress
from beaver.cli.queue.filters import Category, HttpStatus, NewerThan, OlderThan, Session, States, turn_filter
from beaver.errors import BeaverError, InvalidInput, exit_code

if TYPE_CHECKING:
    from beaver.outbox.inspection import TurnFilter
    from beaver.outbox.operations import Consent, Moved, Operator, Refused

OUT_OF_ORDER: Final = "Later turns of its session were delivered before it: the Gateway gets it out of order."
NOT_RUNG: Final = "The queue did not answer: a worker's relay takes it up within seconds of running."


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
    _check_choice(runs or [], everything, wanted)
    by = operator(actor, reason)
    if runs:
        outcomes = asyncio.run(_requeue_runs(root, list(dict.fromkeys(runs)), by, accept_duplicate))
    else:
        outcomes = asyncio.run(
            _requeue_all(root, _bulk(wanted, reason), by, accept_duplicate, limit, yes=yes, as_json=as_json)
        )
    _report(*outcomes, as_json=as_json, each=bool(runs))


def _check_choice(runs: Sequence[str], everything: bool, wanted: TurnFilter) -> None:
    filtered = wanted != type(wanted)()
    if runs and (everything or filtered):
        raise InvalidInput("RUN", "cannot be given together with --all or a filter")
    if not runs and not everything:
        raise InvalidInput("RUN", "name at least one run, or take all that the filters match with --all")


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
        return await _collect(desk.operations.requeue_each(runs, by, consent), len(runs))


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
        return await _collect(desk.operations.requeue_matching(wanted, by, consent, limit=total), total)


def _consent(desk: Desk, accept_duplicate: bool) -> Consent:
    from beaver.outbox.operations import Consent

    return Consent(accept_duplicate=accept_duplicate, key_honoured=desk.key_honoured)


async def _collect(outcomes: AsyncIterator[Moved | Refused], total: int) -> tuple[list[Moved], list[Refused]]:
    from beaver.outbox.operations import Moved

    moved: list[Moved] = []
    refused: list[Refused] = []
    with progress("Requeueing", total) as more:
        async for outcome in outcomes:
            if isinstance(outcome, Moved):
                moved.append(outcome)
            else:
                refused.append(outcome)
            more(1)
    return moved, refused


def _report(moved: list[Moved], refused: list[Refused], *, as_json: bool, each: bool) -> None:
    if as_json:
        left = [{"run_id": one.run_id, "error": _error(one.error)} for one in refused]
        print_json({"requeued": [asdict(one) for one in moved], "refused": left})
    else:
        _print(moved, refused, each)
    if refused:
        raise typer.Exit(exit_code(refused[0].error))


def _error(error: BeaverError) -> dict[str, Any]:
    return {"code": error.code, "message": str(error)}


def _print(moved: list[Moved], refused: list[Refused], each: bool) -> None:
    if each:
        for one in moved:
            print_moved("Requeued", one)
    else:
        typer.echo(f"Requeued {len(moved)} turns." if moved else "No turns were requeued.")
        _print_notes(moved)
    for left in refused:
        typer.echo(f"{one_line(left.run_id)}: {left.error}", err=True)


def print_moved(done: str, moved: Moved) -> None:
    """One turn's move for people, with what is worth knowing about it."""
    typer.echo(f"{done} {one_line(moved.run_id)}: {moved.from_state} → {moved.to_state}, attempt {moved.attempt}.")
    if moved.later_delivered and moved.to_state == "pending":
        typer.echo(f"  {OUT_OF_ORDER}")
    if moved.rung is False:
        typer.echo(f"  {NOT_RUNG}")


def _print_notes(moved: list[Moved]) -> None:
    late = sum(one.later_delivered and one.to_state == "pending" for one in moved)
    if late:
        typer.echo(f"For {late} of them: {OUT_OF_ORDER}")
    if any(one.rung is False for one in moved):
        typer.echo(NOT_RUNG)
