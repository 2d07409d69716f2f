"""From the ring to the Gateway, at low load: how long a completed turn waits for its add."""

from __future__ import annotations

import asyncio
import time

from tests.bench.figures import Table, latency_table, progress
from tests.bench.options import DatabaseKind, Options
from tests.bench.stage import stages
from tests.support.waiting import wait_until

ABOUT = "enqueue-to-add latency at low load (--rate), one idle worker"
TURNS = 200


async def measure(options: Options) -> list[Table]:
    """Each database in turn; the clock runs from just before the enqueue to the request's arrival at the Gateway."""
    turns = options.turns or TURNS
    samples: dict[str, list[float]] = {kind: await _samples(kind, turns, options.rate) for kind in options.databases}
    return [latency_table(f"{turns} turns, {options.rate:g} a second", samples)]


async def _samples(kind: DatabaseKind, turns: int, rate: float) -> list[float]:
    progress(f"latency, {kind}: about {turns / rate:.0f} s")
    async with stages(kind) as stage, stage.workers(1):
        run_ids = await stage.fill(turns)
        rung = {}
        begun = time.monotonic()
        for number, run_id in enumerate(run_ids):
            await asyncio.sleep(begun + number / rate - time.monotonic())
            rung[run_id] = time.monotonic()
            await stage.ring(run_id)

        async def all_added() -> bool:
            return len(stage.stub.times().adds) == turns

        await wait_until(all_added, what="the last add")
        adds = stage.stub.times().adds
        return [adds[run_id] - moment for run_id, moment in rung.items()]
