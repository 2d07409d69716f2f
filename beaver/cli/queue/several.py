"""An act on one turn, on several or on all that match: which are meant, each in turn, and what is told of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import typer

from beaver.cli.output import one_line, print_json
from beaver.cli.queue.desk import progress
from beaver.errors import BeaverError, InvalidInput, exit_code

if TYPE_CHECKING:
    from beaver.outbox.inspection import TurnFilter
    from beaver.outbox.operations import Moved, Refused

OUT_OF_ORDER: Final = "Later turns of its session were delivered before it: the Gateway gets it out of order."
NOT_RUNG: Final = "The queue did not answer: a worker's relay takes it up within seconds of running."


def check_choice(runs: Sequence[str], everything: bool, wanted: TurnFilter) -> None:
    """Raises InvalidInput unless turns are named, or all that match are meant."""
    filtered = wanted != type(wanted)()
    if runs and (everything or filtered):
        raise InvalidInput("RUN", "cannot be given together with --all or a filter")
    if not runs and not everything:
        raise InvalidInput("RUN", "name at least one run, or take all that the filters match with --all")


async def collect(
    outcomes: AsyncIterator[Moved | Refused], total: int, doing: str
) -> tuple[list[Moved], list[Refused]]:
    """What came of each turn, with a bar on a terminal."""
    from beaver.outbox.operations import Moved

    moved: list[Moved] = []
    refused: list[Refused] = []
    with progress(doing, total) as more:
        async for outcome in outcomes:
            if isinstance(outcome, Moved):
                moved.append(outcome)
            else:
                refused.append(outcome)
            more(1)
    return moved, refused


def report(done: str, moved: list[Moved], refused: list[Refused], *, as_json: bool, each: bool) -> None:
    """Say what was done (`Requeued`); ends with the first refusal's exit code, if there is one."""
    if as_json:
        left = [{"run_id": one.run_id, "error": _error(one.error)} for one in refused]
        print_json({done.lower(): [asdict(one) for one in moved], "refused": left})
    else:
        _print(done, moved, refused, each)
    if refused:
        raise typer.Exit(exit_code(refused[0].error))


def print_moved(done: str, moved: Moved) -> None:
    """One turn's move for people, with what is worth knowing about it."""
    typer.echo(f"{done} {one_line(moved.run_id)}: {moved.from_state} → {moved.to_state}, attempt {moved.attempt}.")
    if moved.later_delivered and moved.to_state == "pending":
        typer.echo(f"  {OUT_OF_ORDER}")
    if moved.rung is False:
        typer.echo(f"  {NOT_RUNG}")


def _error(error: BeaverError) -> dict[str, Any]:
    return {"code": error.code, "message": str(error)}


def _print(done: str, moved: list[Moved], refused: list[Refused], each: bool) -> None:
    if each:
        for one in moved:
            print_moved(done, one)
    else:
        typer.echo(f"{done} {len(moved)} turns." if moved else f"No turns were {done.lower()}.")
        _print_notes(moved)
    for left in refused:
        typer.echo(f"{one_line(left.run_id)}: {left.error}", err=True)


def _print_notes(moved: list[Moved]) -> None:
    late = sum(one.later_delivered and one.to_state == "pending" for one in moved)
    if late:
        typer.echo(f"For {late} of them: {OUT_OF_ORDER}")
    if any(one.rung is False for one in moved):
        typer.echo(NOT_RUNG)
