"""How many answers chat servers give, and how fast, beside a bare FastAPI app that gives the same bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tests.bench.chat_servers import WORDS, bare_app, chat_server, database_urls
from tests.bench.figures import Table, percentiles_ms, progress
from tests.bench.http_load import Load, load
from tests.bench.options import Options

ABOUT = "requests a second and latency of 1, 2 and 3 chat servers, beside a bare FastAPI app"
TURNS = 1000
ROUNDS = 5
AT_ONCE = 16
WARM_UP = 40
BODY = {"model": "beaver", "messages": [{"role": "user", "content": "Where do beavers build their lodges?"}]}
SCRIPT = ({"text": WORDS, "usage": {"input_tokens": 7, "output_tokens": 11}},)


async def measure(options: Options) -> list[Table]:
    """Round by round over all, so that each sees the same noise; every request is a turn of a fresh session."""
    turns = options.turns or TURNS
    async with AsyncExitStack() as parts:
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        urls = await parts.enter_async_context(database_urls(folder))
        alone = await parts.enter_async_context(chat_server(folder / "alone", urls["sqlite"], SCRIPT))
        fleet = [
            await parts.enter_async_context(chat_server(folder / f"fleet-{number}", urls["postgresql"], SCRIPT))
            for number in range(3)
        ]
        bare = await parts.enter_async_context(bare_app(folder, alone, BODY))
        targets = {"bare FastAPI": [bare.port], "1 server, sqlite": [alone.port]}
        for count in (1, 2, 3):
            targets[f"{count} server{'s' * (count > 1)}, postgresql"] = [each.port for each in fleet[:count]]
        return [
            await _compared("whole answers", targets, BODY, turns),
            await _compared("streamed answers", targets, {**BODY, "stream": True}, turns),
        ]


async def _compared(what: str, targets: Mapping[str, Sequence[int]], body: Mapping[str, Any], turns: int) -> Table:
    loads: dict[str, list[Load]] = {name: [] for name in targets}
    for ports in targets.values():
        await load(ports, body, requests=WARM_UP, at_once=AT_ONCE)
    for number in range(1, ROUNDS + 1):
        progress(f"serve, {what}: round {number} of {ROUNDS}")
        for name, ports in targets.items():
            loads[name].append(await load(ports, body, requests=turns // ROUNDS, at_once=AT_ONCE))
    lines = [_line(name, each, loads["bare FastAPI"]) for name, each in loads.items()]
    return Table(f"{what}: {turns} requests of each, {AT_ONCE} at once", lines)


def _line(name: str, loads: Sequence[Load], bare: Sequence[Load]) -> dict[str, Any]:
    p50, p99 = percentiles_ms([answer.whole_s for each in loads for answer in each.answers])
    rate, bare_rate = _a_second(loads), _a_second(bare)
    return {
        "what": name,
        "requests/s": round(rate, 1),
        "× bare": round(rate / bare_rate, 3),
        "p50 ms": round(p50, 1),
        "p99 ms": round(p99, 1),
    }


def _a_second(loads: Sequence[Load]) -> float:
    return sum(len(each.answers) for each in loads) / sum(each.seconds for each in loads)
