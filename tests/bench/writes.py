"""Whether a Gateway's writes move the answer: with it up, slow, down, and with the queue down, a real worker running."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

from beaver.config.settings import Settings
from beaver.config.write import write_new_config
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from tests.bench.engines import answer_latency_s, hybrid, running_engine, settings_for
from tests.bench.figures import Table, latency_table
from tests.bench.options import Options
from tests.support.gateway_stub import delay, running_gateway_stub
from tests.support.valkey import running_valkey

ABOUT = "answer latency with the Gateway up, slow (5 s a write), and down, and with the queue down"
TURNS = 300
SLOW_WRITE_S = 5.0
NOBODY = "http://127.0.0.1:9"


async def measure(options: Options) -> list[Table]:
    """The four kinds in alternation. `down` refuses searches too: what it saves in recall is part of its figure."""
    turns = options.turns or TURNS
    async with AsyncExitStack() as parts:
        valkey = parts.enter_context(running_valkey())
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        quick, slow = [await parts.enter_async_context(running_gateway_stub()) for _ in range(2)]
        for path in (ADD_PATH, FLUSH_PATH):
            slow.always(path, delay(SLOW_WRITE_S))
        kinds = {
            "gateway up": (hybrid(quick.url), valkey.url),
            "gateway slow": (hybrid(slow.url), valkey.url),
            "gateway down": (hybrid(NOBODY), valkey.url),
            "queue down": (hybrid(quick.url), "redis://127.0.0.1:9"),
        }
        loops = {}
        for name, (memory, redis_url) in kinds.items():
            settings = settings_for(folder / name, memory, redis_url)
            loops[name] = await parts.enter_async_context(running_engine(settings))
            document = {"memory": memory, "queue": {"redisUrl": redis_url}}
            write_new_config(settings.paths, document)
            parts.enter_context(running_worker(settings))
        samples: dict[str, list[float]] = {name: [] for name in loops}
        for number in range(turns):
            for name, loop in loops.items():
                samples[name].append(await answer_latency_s(loop, f"session-{number}"))
        return [latency_table(f"{turns} turns of each", samples)]


@contextmanager
def running_worker(settings: Settings) -> Iterator[None]:
    """A worker process over the same folder; killed at the end, since nothing of the bench must be delivered."""
    process = subprocess.Popen(
        [sys.executable, "-m", "worker", "--root", str(settings.paths.root)],
        env={**os.environ, "BEAVER_ROOT": str(settings.paths.root)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()
