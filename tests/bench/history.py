"""Whether a turn costs the same however long its session is."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from beaver.agent.loop import AgentLoop
from beaver.collector import settle_collector
from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from beaver.db.tables import events, sessions
from tests.bench.chat_servers import database_urls
from tests.bench.engines import answer_latency_s, running_engine
from tests.bench.figures import Table, percentiles_ms, progress
from tests.bench.options import DatabaseKind, Options
from tests.bench.plot import Line, write_plot
from tests.bench.stage import ANSWER, CHUNK, PROMPT

ABOUT = "cost of a turn by the length of its session's history, 10 to 10,000 messages"
TURNS = 100
SESSIONS = 10
LENGTHS = (10, 100, 1000, 10_000)


async def measure(options: Options) -> list[Table]:
    """One table a database: turn by turn over all lengths, so that each sees the same noise."""
    turns = options.turns or TURNS
    async with AsyncExitStack() as parts:
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        urls = await parts.enter_async_context(database_urls(folder))
        tables = [await _by_length(kind, folder / kind, urls[kind], turns) for kind in options.databases]
    if options.plot:
        lines = [
            Line(kind, [(each["messages"], each["p50 ms"]) for each in table.lines])
            for kind, table in zip(options.databases, tables, strict=True)
        ]
        write_plot(options.plot, "A turn by its session's length", "messages", "p50 ms", lines, log_x=True)
    return tables


async def _by_length(kind: DatabaseKind, folder: Path, database_url: str, turns: int) -> Table:
    await _fill(kind, database_url)
    config = {"memory": {"mode": "curated"}, "sessions": {"databaseUrl": database_url}}
    samples: dict[int, list[float]] = {length: [] for length in LENGTHS}
    async with running_engine(parse_settings(InstancePaths.at(folder), config, {})) as loop:
        await _turns(loop, samples, SESSIONS)
        # As a chat server does.
        settle_collector()
        samples = {length: [] for length in LENGTHS}
        progress(f"history, {kind}: {turns} turns of each length")
        await _turns(loop, samples, turns)
    base50, base99 = percentiles_ms(samples[LENGTHS[0]])
    return Table(
        f"{turns} turns of each, {kind}", [_line(length, each, base50, base99) for length, each in samples.items()]
    )


async def _turns(loop: AgentLoop, samples: dict[int, list[float]], turns: int) -> None:
    for number in range(turns):
        for length, each in samples.items():
            each.append(await answer_latency_s(loop, _session(length, number)))


def _line(length: int, samples_s: Sequence[float], base50: float, base99: float) -> dict[str, Any]:
    p50, p99 = percentiles_ms(samples_s)
    return {
        "messages": length,
        "p50 ms": round(p50, 2),
        "p99 ms": round(p99, 2),
        "p50 ×": round(p50 / base50, 2),
        "p99 ×": round(p99 / base99, 2),
    }


def _session(length: int, number: int) -> str:
    return f"{length}-messages-{number % SESSIONS}"


async def _fill(kind: DatabaseKind, database_url: str) -> None:
    """Sessions of each length, all of them under way for a while."""
    database = Database.open(database_url)
    try:
        await ensure_schema(database, "beaver.db.migrations")
        for length in LENGTHS:
            progress(f"history, {kind}: {SESSIONS} sessions of {length} messages")
            for number in range(SESSIONS):
                await _fill_session(database, _session(length, number), length)
    finally:
        await database.close()


async def _fill_session(database: Database, session_id: str, length: int) -> None:
    now = int(time.time() * 1000)
    async with database.write() as tx:
        await tx.execute(insert(sessions).values(id=session_id, created_ms=now, updated_ms=now))
    messages = [_message(session_id, number, now) for number in range(length)]
    for start in range(0, length, CHUNK):
        async with database.write() as tx:
            await tx.execute(insert(events), messages[start : start + CHUNK])


def _message(session_id: str, number: int, now: int) -> dict[str, Any]:
    role, content = ("assistant", ANSWER) if number % 2 else ("user", PROMPT)
    return {
        "session_id": session_id,
        "run_id": f"{session_id}-{number // 2}",
        "kind": "message",
        "role": role,
        "content": content,
        "payload": {},
        "context_visible": True,
        "created_ms": now,
    }
