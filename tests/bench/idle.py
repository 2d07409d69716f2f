"""What a worker holds and burns: memory when idle and after many turns, and its idle share of a core."""

from __future__ import annotations

import asyncio
from typing import Any

import psutil

from tests.bench.figures import Table, progress
from tests.bench.options import DatabaseKind, Options
from tests.bench.stage import rings, stages

ABOUT = "memory of an idle worker and after each fifth of --turns; CPU of an idle one"
TURNS = 10_000
PARTS = 5
WATCHED_S = 5.0


async def measure(options: Options) -> list[Table]:
    """One table a database, all of its lines about the same process."""
    return [await _watched(kind, options.turns or TURNS) for kind in options.databases]


async def _watched(kind: DatabaseKind, turns: int) -> Table:
    async with stages(kind) as stage, stage.workers(1) as [worker]:
        process = psutil.Process(worker.pid)
        lines = [await _look(process, 0)]
        for part in range(1, PARTS + 1):
            progress(f"idle, {kind}: {turns * part // PARTS} of {turns} turns")
            await stage.hold(rings(await stage.fill(turns // PARTS)))
            await stage.release()
            await stage.worked_off()
            lines.append(await _look(process, turns * part // PARTS))
        return Table(f"one worker on {kind}", lines)


async def _look(process: psutil.Process, turns: int) -> dict[str, Any]:
    """Once it has nothing to do."""
    before = sum(process.cpu_times()[:2])
    await asyncio.sleep(WATCHED_S)
    share = (sum(process.cpu_times()[:2]) - before) / WATCHED_S
    return {"after turns": turns, "RSS MB": round(process.memory_info().rss / 1e6, 1), "idle CPU": f"{share:.1%}"}
