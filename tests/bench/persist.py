"""Turns persisted a second with a Gateway that costs nothing, against the same calls without a ledger and against no-ops."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.bench import noops, plain_worker
from tests.bench.breakdown import breakdown
from tests.bench.figures import Table, progress
from tests.bench.options import DatabaseKind, Options
from tests.bench.stage import Stage, rings, stages

ABOUT = "turns persisted a second, against the same two calls without a ledger (a), and against no-op jobs; where the time goes"
TURNS = 3000
BREAKDOWN_TURNS_MAX = 500


async def measure(options: Options) -> list[Table]:
    """One table a database, and one that says where the time goes; the ratios are to (a) with as many workers."""
    turns = options.turns or TURNS
    tables = [await _delivering(kind, turns, options.workers) for kind in options.databases]
    tables += [await breakdown(kind, min(turns, BREAKDOWN_TURNS_MAX)) for kind in options.databases]
    return tables


async def _delivering(kind: DatabaseKind, turns: int, fleets: tuple[int, ...]) -> Table:
    async with stages(kind) as stage:
        lines = []
        plain_alone = 0.0
        for workers in fleets:
            progress(f"persist, {kind}: {turns} turns, {workers} worker(s)")
            without = await plain(stage, turns, workers)
            with_ledger = await ours(stage, turns, workers)
            only_rings = await plain_rings(stage, turns, workers)
            plain_alone = plain_alone or without
            lines += [
                _line("(a) no ledger", workers, without, without, plain_alone),
                _line(f"ledger on {kind}", workers, with_ledger, without, plain_alone),
                _line("no ledger, jobs taken as ours", workers, only_rings, without, plain_alone),
            ]
        for name in noops.installed_kinds():
            progress(f"persist, {kind}: {turns} no-ops, {name}")
            stage.valkey.empty()
            pace = await asyncio.to_thread(noops.jobs_a_second, name, stage.valkey.url, turns)
            lines.append(_line(f"no-op, {name}", 1, pace, plain_alone, plain_alone))
        return Table(f"{turns} turns (jobs) of each, {kind}", lines)


async def plain(stage: Stage, turns: int, workers: int) -> float:
    """Turns a second without a ledger (a)."""
    await stage.hold(plain_worker.jobs(turns))
    async with stage.workers(workers, plain_worker.COMMAND):
        released = await stage.release()
        return turns / (await stage.emptied() - released)


async def plain_rings(stage: Stage, turns: int, workers: int) -> float:
    """The same with our way of taking jobs, so that what is left between it and ours is the ledger's."""
    before = len(stage.stub.times().flushes)
    await stage.hold(plain_worker.jobs(turns))
    async with stage.workers(workers, plain_worker.TAKING_RINGS):
        released = await stage.release()
        return turns / (await stage.sent(before + turns) - released)


async def ours(stage: Stage, turns: int, workers: int) -> float:
    """Turns a second with the ledger, up to the last record."""
    await stage.hold(rings(await stage.fill(turns)))
    async with stage.workers(workers):
        released = await stage.release()
        return turns / (await stage.worked_off() - released)


def _line(what: str, workers: int, pace: float, plain: float, plain_alone: float) -> dict[str, Any]:
    return {
        "": what,
        "workers": workers,
        "per s": round(pace),
        "to (a)": round(pace / plain, 2),
        "to (a) alone": round(pace / plain_alone, 2),
    }
