"""`beaver queue`: the ledger of turns on their way to the Memory Gateway."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beaver.cli.options import Json, Root
from beaver.cli.output import print_json, print_rows, when

if TYPE_CHECKING:
    from beaver.outbox.inspection import LedgerStats, TurnStory, TurnSummary

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="See where turns stand on their way to the Memory Gateway."
)


@app.command("stats")
def stats(root: Root = None, as_json: Json = False) -> None:
    """Count the turns in each state."""
    import asyncio

    found = asyncio.run(_stats(root))
    if as_json:
        counts = {str(state): count for state, count in found.counts.items()}
        print_json({"counts": counts, "oldest_pending_age_ms": found.oldest_pending_age_ms})
        return
    print_rows(
        [{"state": state, "turns": count} for state, count in found.counts.items()], ("state", "turns"), empty=""
    )
    if found.oldest_pending_age_ms is not None:
        typer.echo(f"The oldest pending turn has waited {found.oldest_pending_age_ms / 1000:.1f} s.")


async def _stats(root: Path | None) -> LedgerStats:
    from beaver.cli.database import session_database
    from beaver.outbox.inspection import OutboxInspection

    async with session_database(root) as database, database.read() as tx:
        return await OutboxInspection(database.dialect).stats(tx)


@app.command("list")
def list_(
    root: Root = None,
    as_json: Json = False,
    state: Annotated[
        list[str] | None, typer.Option(help="Only turns in this state; may be given several times.")
    ] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only turns of this session.")] = None,
    category: Annotated[str | None, typer.Option(help="Only turns that failed in this way, such as timeout.")] = None,
    status: Annotated[int | None, typer.Option(help="Only turns that failed with this HTTP status.")] = None,
    older_than: Annotated[float | None, typer.Option(metavar="SECONDS", help="Only turns at least this old.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Most turns to list.")] = 50,
) -> None:
    """List turns, newest first, with the reason where one failed."""
    import asyncio

    from beaver.outbox.inspection import TurnFilter

    wanted = TurnFilter(
        states=tuple(_state(name) for name in state or ()),
        session_id=session,
        category=category,
        http_status=status,
        older_than_ms=None if older_than is None else int(older_than * 1000),
    )
    found = asyncio.run(_list(root, wanted, limit))
    if as_json:
        print_json([asdict(turn) for turn in found])
    else:
        columns = ("run", "session", "state", "attempt", "reason", "updated")
        print_rows([_row(turn) for turn in found], columns, empty="No such turns.")


def _state(name: str) -> Any:
    from beaver.errors import InvalidInput
    from beaver.outbox.states import State

    try:
        return State(name)
    except ValueError:
        raise InvalidInput("--state", f"must be one of {', '.join(State)}") from None


async def _list(root: Path | None, wanted: Any, limit: int) -> list[TurnSummary]:
    from beaver.cli.database import session_database
    from beaver.outbox.inspection import OutboxInspection

    async with session_database(root) as database, database.read() as tx:
        return await OutboxInspection(database.dialect).list_turns(tx, wanted, limit=limit)


@app.command("show")
def show(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")],
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Print one turn and everything that happened to it."""
    import asyncio

    story = asyncio.run(_show(root, run_id))
    if as_json:
        print_json({**asdict(story.summary), "timeline": [asdict(entry) for entry in story.timeline]})
        return
    print_rows([_row(story.summary)], ("run", "session", "state", "attempt", "reason", "updated"), empty="")
    typer.echo()
    moves = [
        {
            "at": when(entry.at_ms),
            "move": f"{entry.from_state or ''} → {entry.to_state}".strip(),
            "by": entry.actor,
            "attempt": entry.attempt,
            "detail": _detail(entry.detail),
        }
        for entry in story.timeline
    ]
    print_rows(moves, ("at", "move", "by", "attempt", "detail"), empty="No moves yet.")


async def _show(root: Path | None, run_id: str) -> TurnStory:
    from beaver.cli.database import session_database
    from beaver.errors import NotFound
    from beaver.outbox.inspection import OutboxInspection

    async with session_database(root) as database, database.read() as tx:
        story = await OutboxInspection(database.dialect).find_turn(tx, run_id)
    if story is None:
        raise NotFound("no turn of that run is in the ledger; `beaver queue list` shows those that are")
    return story


def _row(turn: TurnSummary) -> dict[str, Any]:
    reason = turn.error_category or ""
    return {
        "run": turn.run_id,
        "session": turn.session_id,
        "state": turn.state,
        "attempt": turn.attempt,
        "reason": f"{reason} (HTTP {turn.error_status})" if turn.error_status else reason,
        "updated": when(turn.updated_ms),
    }


def _detail(detail: Any) -> str:
    return ", ".join(f"{key}={value}" for key, value in dict(detail).items())
