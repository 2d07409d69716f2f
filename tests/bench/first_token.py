"""How much later than the provider's own first token a client hears it."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from tests.bench.chat_servers import Serving, bare_app, chat_server, database_urls
from tests.bench.figures import Table, latency_table, progress
from tests.bench.http_load import load
from tests.bench.options import Options
from tests.bench.serve import BODY

ABOUT = "time to the first token over the provider's own, beside a bare FastAPI app"
TURNS = 300
ROUNDS = 10
DELAY_S = 0.02
SCRIPT = ({"text": "Beavers build.", "delay_ms": int(DELAY_S * 1000)},)


async def measure(options: Options) -> list[Table]:
    """The same turns one at a time and several at once; the provider's own delay is taken off."""
    turns = options.turns or TURNS
    async with AsyncExitStack() as parts:
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        urls = await parts.enter_async_context(database_urls(folder))
        servers: dict[str, Serving] = {
            kind: await parts.enter_async_context(chat_server(folder / kind, urls[kind], SCRIPT))
            for kind in options.databases
        }
        twin = next(iter(servers.values()))
        bare = await parts.enter_async_context(bare_app(folder, twin, BODY, delay_s=DELAY_S))
        targets = {"bare FastAPI": bare, **servers}
        return [await _compared(targets, turns, at_once) for at_once in (1, 16)]


async def _compared(targets: Mapping[str, Serving], turns: int, at_once: int) -> Table:
    samples: dict[str, list[float]] = {name: [] for name in targets}
    body = {**BODY, "stream": True}
    for number in range(ROUNDS + 1):
        progress(f"first-token, {at_once} at once: round {number} of {ROUNDS}")
        for name, target in targets.items():
            answers = (await load([target.port], body, requests=turns // ROUNDS, at_once=at_once)).answers
            # The first round warms up.
            samples[name] += [answer.first_s - DELAY_S for answer in answers] if number else []
    return latency_table(f"{turns} turns of each, {at_once} at once; milliseconds over the provider's own", samples)
