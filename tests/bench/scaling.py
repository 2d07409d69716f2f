"""Whether workers beside each other hold each other up: a Gateway that takes its time is what limits each of them."""

from __future__ import annotations

from tests.bench.figures import Table, progress
from tests.bench.options import DatabaseKind, Options
from tests.bench.persist import ours, plain
from tests.bench.stage import stages

ABOUT = "turns a second of --workers whose Gateway takes 100 ms a call, 10 turns at once each, with and without a ledger (a)"
TURNS = 400
ANSWER_MS = 100
JOBS_AT_ONCE = 10


async def measure(options: Options) -> list[Table]:
    """One table a database. The ratio is to as many times one worker: 1 is linear."""
    return [await _scaling(kind, options.turns or TURNS, options.workers) for kind in options.databases]


async def _scaling(kind: DatabaseKind, turns: int, fleets: tuple[int, ...]) -> Table:
    async with stages(kind, answer_ms=ANSWER_MS, jobs_at_once=JOBS_AT_ONCE) as stage:
        lines = []
        alone: dict[str, float] = {}
        for workers in fleets:
            for name, paced in (("(a) no ledger", plain), (f"ledger on {kind}", ours)):
                progress(f"scaling, {kind}: {turns * workers} turns, {workers} worker(s), {name}")
                pace = await paced(stage, turns * workers, workers)
                alone.setdefault(name, pace / workers)
                linear = round(pace / workers / alone[name], 2)
                lines.append({"": name, "workers": workers, "per s": round(pace), "of linear": linear})
        ideal = JOBS_AT_ONCE / (2 * ANSWER_MS / 1000)
        return Table(f"{turns} turns a worker, {kind}; {ideal:.0f} a second and worker is the most", lines)
