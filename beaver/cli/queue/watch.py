"""`beaver queue watch`: the counts as they change, until Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beaver.cli.options import Json, Root
from beaver.cli.output import print_json
from beaver.cli.queue.looking import stats_json
from beaver.text import printable

if TYPE_CHECKING:
    from rich.table import Table

    from beaver.outbox.depth import LedgerDepth
    from beaver.outbox.inspection import LedgerStats
    from beaver.outbox.states import State

    Show = Callable[[LedgerStats | str], None]


def watch(
    root: Root = None,
    as_json: Json = False,
    interval: Annotated[float, typer.Option(min=0.1, max=3600, metavar="SECONDS", help="How often to look.")] = 1.0,
) -> None:
    """Show the counts as they change; Ctrl-C ends it. With --json, or into a file or pipe, one line for each change.

    A database that does not answer is told of (`trouble`) and asked again.
    """
    import asyncio

    try:
        with _live() if sys.stdout.isatty() and not as_json else _lines(as_json) as show:
            asyncio.run(_watch(root, interval, show))
    except KeyboardInterrupt:
        return


async def _watch(root: Path | None, interval_s: float, show: Show) -> None:
    import asyncio

    from beaver.cli.database import session_database
    from beaver.outbox.depth import LedgerDepth

    async with session_database(root) as database, aclosing(LedgerDepth(database)) as depth:
        while True:
            show(await _look(depth))
            await asyncio.sleep(interval_s)


async def _look(depth: LedgerDepth) -> LedgerStats | str:
    """The counts; in words why there are none just now: a database that starts anew is no reason to stop watching."""
    from beaver.errors import Unavailable

    try:
        return await depth.stats()
    except Unavailable as error:
        return str(error)


@contextmanager
def _live() -> Iterator[Show]:
    from rich.live import Live

    with Live(auto_refresh=False) as live:
        yield lambda seen: live.update(_table(seen), refresh=True)


@contextmanager
def _lines(as_json: bool) -> Iterator[Show]:
    last: Mapping[State, int] | str | None = None

    def show(seen: LedgerStats | str) -> None:
        nonlocal last
        told = seen if isinstance(seen, str) else seen.counts
        if told == last:
            return
        last = told
        if as_json:
            print_json({"trouble": seen} if isinstance(seen, str) else stats_json(seen))
        else:
            typer.echo(printable(seen) if isinstance(seen, str) else _counts(seen))

    yield show


def _counts(stats: LedgerStats) -> str:
    return ", ".join(f"{state} {count}" for state, count in stats.counts.items() if count) or "no turns"


def _table(seen: LedgerStats | str) -> Table:
    from rich.markup import escape
    from rich.table import Table

    if isinstance(seen, str):
        return Table("state", "turns", caption=f"{escape(printable(seen))}\nIt is asked again; Ctrl-C ends it")
    age = seen.oldest_pending_age_ms
    waited = "" if age is None else f"the oldest pending turn has waited {age / 1000:.0f} s"
    table = Table("state", "turns", caption=f"{waited}\nCtrl-C ends it".strip())
    for state, count in seen.counts.items():
        table.add_row(state, str(count))
    return table
