"""`beaver queue watch`: the counts as they change, until Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beaver.cli.options import Json, Root
from beaver.cli.output import print_json
from beaver.cli.queue.looking import stats_json

if TYPE_CHECKING:
    from rich.table import Table

    from beaver.outbox.inspection import LedgerStats
    from beaver.outbox.states import State


def watch(
    root: Root = None,
    as_json: Json = False,
    interval: Annotated[float, typer.Option(min=0.1, max=3600, metavar="SECONDS", help="How often to look.")] = 1.0,
) -> None:
    """Show the counts as they change; Ctrl-C ends it. With --json, or into a file or pipe, one line for each change."""
    import asyncio

    try:
        with _live() if sys.stdout.isatty() and not as_json else _lines(as_json) as show:
            asyncio.run(_watch(root, interval, show))
    except KeyboardInterrupt:
        return


async def _watch(root: Path | None, interval_s: float, show: Callable[[LedgerStats], None]) -> None:
    import asyncio

    from beaver.cli.database import session_database
    from beaver.outbox.inspection import OutboxInspection

    async with session_database(root) as database:
        inspection = OutboxInspection(database.dialect)
        while True:
            async with database.read() as tx:
                stats = await inspection.stats(tx)
            show(stats)
            await asyncio.sleep(interval_s)


@contextmanager
def _live() -> Iterator[Callable[[LedgerStats], None]]:
    from rich.live import Live

    with Live(auto_refresh=False) as live:
        yield lambda stats: live.update(_table(stats), refresh=True)


@contextmanager
def _lines(as_json: bool) -> Iterator[Callable[[LedgerStats], None]]:
    last: Mapping[State, int] | None = None

    def show(stats: LedgerStats) -> None:
        nonlocal last
        if stats.counts == last:
            return
        last = stats.counts
        if as_json:
            print_json(stats_json(stats))
        else:
            typer.echo(", ".join(f"{state} {count}" for state, count in stats.counts.items() if count) or "no turns")

    yield show


def _table(stats: LedgerStats) -> Table:
    from rich.table import Table

    age = stats.oldest_pending_age_ms
    waited = "" if age is None else f"the oldest pending turn has waited {age / 1000:.0f} s"
    table = Table("state", "turns", caption=f"{waited}\nCtrl-C ends it".strip())
    for state, count in stats.counts.items():
        table.add_row(state, str(count))
    return table
