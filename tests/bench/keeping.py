"""Memory as files: how long many messages take to be taken over, exported, restored and merged; one process, no encoder."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil

from beaver.memory.namespace import Namespace
from beaver.memory.records import Question
from beaver.memory.runtime import MemoryRuntime
from beaver.schemas.gateway import SCOPES
from tests.bench.figures import Table
from tests.bench.gateway_ingest import message_text
from tests.bench.options import DatabaseKind, Options
from tests.support.memory_gateway import MORNING_MS
from tests.support.postgres import running_postgres

ABOUT = "messages a second that are taken over, exported, restored and merged as files; how much memory that takes"
MESSAGES = 100_000
A_SESSION = 200
QUESTIONS = 20
ADA = Namespace("default", "default", "ada")


async def measure(options: Options) -> list[Table]:
    """A table a database."""
    return [await _measured(kind, options.turns or MESSAGES) for kind in options.databases]


async def _measured(kind: DatabaseKind, count: int) -> Table:
    with ExitStack() as parts:
        root = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        urls = [f"sqlite:///{root / name}.db" for name in ("first", "restored", "merged")]
        if kind == "postgresql":
            server = parts.enter_context(running_postgres(mortal=True))
            urls = [server.url(await server.create_database()) for _ in urls]
        async with _opened(urls[0]) as first, _opened(urls[1]) as restored, _opened(urls[2]) as merged:
            old, file = root / "old.jsonl", root / "ada.jsonl"
            old.write_bytes(_conversations(count))
            lines = [
                await _line("take over", count, lambda on: _taken_over(old, first, on)),
                await _line("take over again", count, lambda on: _taken_over(old, first, on)),
                await _line("export", count, lambda on: _exported(first, file, on)),
                await _line("restore", count, lambda on: _read(file, restored.restore, on)),
                await _line("merge into an empty memory", count, lambda on: _read(file, merged.merge, on)),
                await _line("merge what is known", count, lambda on: _read(file, merged.merge, on)),
            ]
            alike = sum(
                [await _answers(first, n, count) == await _answers(restored, n, count) for n in range(QUESTIONS)]
            )
            size_mb = file.stat().st_size / 1e6
            title = f"{kind}, {count} messages, {size_mb:.1f} MB; {alike} of {QUESTIONS} searches alike once restored"
            return Table(title, lines)


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[MemoryRuntime]:
    runtime = await MemoryRuntime.open(url)
    try:
        await runtime.create_user("ada")
        yield runtime
    finally:
        await runtime.close()


def _conversations(count: int) -> bytes:
    return b"\n".join(
        json.dumps(
            {
                "session_id": f"old:{number // A_SESSION}",
                "role": "user",
                "timestamp": MORNING_MS + number,
                "content": message_text(number),
            }
        ).encode()
        for number in range(count)
    )


async def _answers(runtime: MemoryRuntime, number: int, count: int) -> list[tuple[str, str, float]]:
    question = Question(message_text(number * count // QUESTIONS), "chat:s", SCOPES, 10)
    # A score falls with the time that passes between two searches, but not in its first digits.
    return [(one.id, one.text, round(one.score, 6)) for one in await runtime.search(ADA, question)]


async def _taken_over(file: Path, runtime: MemoryRuntime, on_progress: Callable[[int, int], None]) -> None:
    with file.open("rb") as source:
        await runtime.take_over(ADA, source, "conversations", on_progress)


async def _exported(runtime: MemoryRuntime, file: Path, on_progress: Callable[[int, int], None]) -> None:
    with file.open("wb") as target:
        await runtime.export(ADA, target, on_progress)


async def _read(file: Path, act: Callable[..., Awaitable[object]], on_progress: Callable[[int, int], None]) -> None:
    with file.open("rb") as source:
        await act(ADA, source, on_progress)


async def _line(
    what: str, count: int, act: Callable[[Callable[[int, int], None]], Awaitable[object]]
) -> dict[str, Any]:
    process = psutil.Process(os.getpid())
    told, held = [time.perf_counter()], [process.memory_info().rss]

    def on_progress(_done: int, _total: int) -> None:
        told.append(time.perf_counter())
        held.append(process.memory_info().rss)

    await act(on_progress)
    seconds = time.perf_counter() - told[0]
    return {
        "what": what,
        "seconds": round(seconds, 1),
        "messages a second": round(count / seconds),
        "longest without progress s": round(max(b - a for a, b in pairwise(told)), 2),
        "RSS before MB": round(held[0] / 1e6),
        "RSS peak MB": round(max(held) / 1e6),
    }
