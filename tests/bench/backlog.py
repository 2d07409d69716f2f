"""A long backlog worked off by one worker: whether its pace holds to the end."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tests.bench.figures import Table, progress
from tests.bench.options import DatabaseKind, Options
from tests.bench.plot import Line, write_plot
from tests.bench.stage import rings, stages

ABOUT = "the drain of a backlog by the first of --workers, its pace over time"
TURNS = 20_000
PARTS = 10


async def measure(options: Options) -> list[Table]:
    """One table a database: the pace within each tenth of the backlog."""
    turns = options.turns or TURNS
    tables = [await _drained(kind, turns, options.workers[0]) for kind in options.databases]
    if options.plot:
        lines = [
            Line(kind, [(each["done"], each["per s"]) for each in table.lines])
            for kind, table in zip(options.databases, tables, strict=True)
        ]
        write_plot(options.plot, "Draining a backlog", "turns done", "turns a second", lines)
    return tables


async def _drained(kind: DatabaseKind, turns: int, workers: int) -> Table:
    async with stages(kind) as stage:
        progress(f"backlog, {kind}: {turns} turns are made")
        await stage.hold(rings(await stage.fill(turns)))
        progress(f"backlog, {kind}: {turns} turns are drained")
        async with stage.workers(workers):
            released = await stage.release()
            took = await stage.worked_off() - released
        flushes = sorted(stage.stub.times().flushes)
    title = f"{turns} turns on {kind}, {workers} worker(s): {took:.1f} s, {turns / took:.0f} a second"
    return Table(title, _parts([released, *flushes]))


def _parts(moments: list[float]) -> list[dict[str, Any]]:
    turns = len(moments) - 1
    ends = [turns * part // PARTS for part in range(PARTS + 1)]
    paces = [(end, (end - begin) / (moments[end] - moments[begin])) for begin, end in pairwise(ends)]
    return [
        {
            "done": end,
            "after s": round(moments[end] - moments[0], 2),
            "per s": round(pace),
            "×": round(pace / paces[0][1], 2),
        }
        for end, pace in paces
    ]
