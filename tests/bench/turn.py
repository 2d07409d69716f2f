"""What a turn costs on top of the provider's own time, with and without the Gateway layer."""

from __future__ import annotations

import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from tests.bench.engines import answer_latency_s, hybrid, running_engine, settings_for
from tests.bench.figures import Table, latency_table
from tests.bench.options import Options
from tests.support.gateway_stub import running_gateway_stub
from tests.support.valkey import running_valkey

ABOUT = "what a turn costs on top of the provider: curated alone against hybrid (stub Gateway, real queue)"
TURNS = 300


async def measure(options: Options) -> list[Table]:
    """Turn by turn in alternation, a new session each 20, so that both kinds see the same noise and the same history."""
    turns = options.turns or TURNS
    async with AsyncExitStack() as parts:
        valkey = parts.enter_context(running_valkey())
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        stub = await parts.enter_async_context(running_gateway_stub())
        engines = {
            "curated": settings_for(folder / "curated", {"mode": "curated"}),
            "hybrid": settings_for(folder / "hybrid", hybrid(stub.url), valkey.url),
        }
        loops = {name: await parts.enter_async_context(running_engine(each)) for name, each in engines.items()}
        samples: dict[str, list[float]] = {name: [] for name in loops}
        for number in range(turns):
            for name, loop in loops.items():
                samples[name].append(await answer_latency_s(loop, f"session-{number // 20}"))
        return [latency_table(f"{turns} turns of each", samples)]
