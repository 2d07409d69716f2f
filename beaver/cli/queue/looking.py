"""`beaver queue stats`, `list` and `show`: the ledger as it stands, and the whole way of one turn."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from beaver.cli.options import Json, Root
from beaver.cli.output import one_line, print_json, print_rows, when
from beaver.cli.queue.desk import Actor, Reason, open_desk, operator
from beaver.cli.queue.filters import (
    Category,
    HttpStatus,
    NewerThan,
    OlderThan,
    Session,
    States,
    turn_filter,
)
from beaver.text import printable

if TYPE_CHECKING:
    from beaver.outbox.heartbeats import SeenWorker
    from beaver.outbox.inspection import LedgerStats, TimelineEntry, TurnFilter, TurnStory, TurnSummary
    from beaver.outbox.operations import Operator, TurnContent

_COLUMNS: Final = ("run", "session", "state", "attempt", "reason", "updated")


_NOBODYS: Final = "identity_mismatch: made for a Gateway user whom no worker was configured for."


def stats(root: Root = None, as_json: Json = False) -> None:
    """Count the turns in each state, and the workers that live."""
    import asyncio

    found, nobodys, withdrawals, workers = asyncio.run(_stats(root))
    if as_json:
        seen = [asdict(worker) for worker in workers]
        further = {"identity_mismatches": nobodys, "withdrawals": withdrawals, "workers": seen}
        print_json({**stats_json(found), **further})
        return
    print_rows(
        [{"state": state, "turns": count} for state, count in found.counts.items()], ("state", "turns"), empty=""
    )
    if found.oldest_pending_age_ms is not None:
        typer.echo(f"The oldest pending turn has waited {found.oldest_pending_age_ms / 1000:.1f} s.")
    if nobodys:
        typer.echo(
            f"Made for a Gateway user whom no worker was configured for: {nobodys} (list --error identity_mismatch)."
        )
    if withdrawals:
        typer.echo(f"Messages deleted here that the Gateway is yet to forget: {withdrawals}; workers ask it again.")
    in_flight = sum(worker.in_flight for worker in workers)
    typer.echo(f"Workers alive: {len(workers)}; turns in their hands: {in_flight}.")


async def _stats(root: Path | None) -> tuple[LedgerStats, int, int, list[SeenWorker]]:
    from beaver.cli.database import session_database
    from beaver.outbox.audit import IDENTITY_MISMATCH
    from beaver.outbox.heartbeats import HeartbeatStore
    from beaver.outbox.inspection import OutboxInspection, TurnFilter
    from beaver.outbox.withdrawals import WithdrawalStore

    async with session_database(root) as database, database.read() as tx:
        inspection = OutboxInspection(database.dialect)
        nobodys = await inspection.count(tx, TurnFilter(category=IDENTITY_MISMATCH))
        withdrawals = await WithdrawalStore(database.dialect).count(tx)
        workers = await HeartbeatStore(database.dialect).live_workers(tx)
        return await inspection.stats(tx), nobodys, withdrawals, workers


def stats_json(found: LedgerStats) -> dict[str, Any]:
    """The counts for programs."""
    counts = {str(state): count for state, count in found.counts.items()}
    return {"counts": counts, "oldest_pending_age_ms": found.oldest_pending_age_ms}


def list_(
    root: Root = None,
    as_json: Json = False,
    state: States = None,
    session: Session = None,
    older_than: OlderThan = None,
    newer_than: NewerThan = None,
    category: Category = None,
    http_status: HttpStatus = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Most turns to list.")] = 50,
    after: Annotated[
        str | None,
        typer.Option(metavar="CURSOR", help="Go on behind this: the cursor of the last turn of the page before."),
    ] = None,
) -> None:
    """List turns, newest first, with the reason where one failed."""
    import asyncio

    wanted = turn_filter(state, session, older_than, newer_than, category, http_status)
    found = asyncio.run(_list(root, wanted, limit, after))
    if as_json:
        print_json([{**asdict(turn), "cursor": turn.cursor} for turn in found])
        return
    print_rows([_row(turn) for turn in found], _COLUMNS, empty="No such turns.")
    if any(_is_nobodys(turn) for turn in found):
        typer.echo(f"{_NOBODYS} `beaver queue show RUN` says for whom, and what may be done.")
    if len(found) == limit:
        typer.echo(f"Further turns, if any: --after {found[-1].cursor}")


async def _list(root: Path | None, wanted: TurnFilter, limit: int, before: str | None) -> list[TurnSummary]:
    from beaver.cli.database import session_database
    from beaver.outbox.inspection import OutboxInspection

    async with session_database(root) as database, database.read() as tx:
        return await OutboxInspection(database.dialect).list_turns(tx, wanted, limit=limit, before=before)


def show(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")],
    root: Root = None,
    as_json: Json = False,
    content: Annotated[
        bool,
        typer.Option(
            "--content",
            help="Print the turn's two texts too. Whoever can open the session database may; that you looked is written "
            "into the session's audit trail, with your name.",
        ),
    ] = False,
    actor: Actor = None,
    reason: Reason = None,
) -> None:
    """Print one turn and everything that happened to it: when, from which state to which, by which process or person."""
    import asyncio

    story = asyncio.run(_story(root, run_id))
    words = asyncio.run(_words(root, run_id, operator(actor, reason))) if content else None
    if as_json:
        timeline = [asdict(entry) for entry in story.timeline]
        shown = {} if words is None else {"content": asdict(words)}
        print_json({**asdict(story.summary), "timeline": timeline, **shown})
    else:
        _print_story(story, words)


async def _story(root: Path | None, run_id: str) -> TurnStory:
    from beaver.cli.database import session_database
    from beaver.errors import NotFound
    from beaver.outbox.inspection import OutboxInspection

    async with session_database(root) as database, database.read() as tx:
        story = await OutboxInspection(database.dialect).find_turn(tx, run_id)
    if story is None:
        raise NotFound("no turn of that run is in the ledger; `beaver queue list` shows those that are")
    return story


async def _words(root: Path | None, run_id: str, by: Operator) -> TurnContent:
    async with open_desk(root) as desk:
        return await desk.operations.view_content(run_id, by)


def _print_story(story: TurnStory, words: TurnContent | None) -> None:
    print_rows([_row(story.summary)], _COLUMNS, empty="")
    _print_owner(story.summary)
    typer.echo()
    moves = [_move(entry) for entry in story.timeline]
    print_rows(moves, ("at", "move", "by", "attempt", "detail"), empty="No moves yet.")
    if words is not None:
        for role, text in (("user", words.prompt), ("assistant", words.answer)):
            typer.echo(f"\n[{role}]\n{printable(text) if text is not None else '(no longer stored)'}")


def _print_owner(turn: TurnSummary) -> None:
    user, app, project = (one_line(name) for name in turn.owner)
    typer.echo(f"Made for the Gateway user {user}, app {app}, project {project}.")
    if _is_nobodys(turn):
        typer.echo(
            "No worker was configured for that user: nothing was sent. Name it, with its key, in memory.gateway.earlierUsers, "
            "restart the workers and requeue the turn; or give it up with `beaver queue drop`."
        )


def _is_nobodys(turn: TurnSummary) -> bool:
    from beaver.outbox.audit import IDENTITY_MISMATCH

    return turn.error_category == IDENTITY_MISMATCH


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


def _move(entry: TimelineEntry) -> dict[str, Any]:
    return {
        "at": when(entry.at_ms),
        "move": f"{entry.from_state or ''} → {entry.to_state}".strip(),
        "by": entry.actor,
        "attempt": entry.attempt,
        "detail": ", ".join(f"{key}={value}" for key, value in entry.detail.items()),
    }
