"""What a message costs to store and a search to answer, as a memory grows; and what both take of memory and of the disk."""

from __future__ import annotations

import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sqlalchemy import text

from beaver.db.engine import Database
from beaver.memory.namespace import Namespace
from beaver.memory.runtime import MemoryRuntime
from tests.bench.figures import Table, progress
from tests.bench.memory_corpus import MESSAGES_A_SESSION, Corpus
from tests.bench.memory_http import over_http
from tests.bench.memory_probe import Probe, encoder_of, probed
from tests.bench.options import DatabaseKind, Options
from tests.bench.plot import Line, write_plot
from tests.support.postgres import running_postgres

ABOUT = (
    "adds and searches of a memory of --sizes messages, by --users; --vectors none, hashed (cost nothing) or local"
    " (MiniLM, about 200 messages a second)"
)
SEARCHES = 300
ADDS_AT_ONCE = 64


async def measure(options: Options) -> list[Table]:
    """A table a database; a line a size. Each size is searched by a process that starts with it."""
    tables = [await _grown(kind, options) for kind in options.databases]
    if options.plot:
        lines = [
            Line(f"{kind}, {name}", [(line["messages"], line[f"{name} ms"]) for line in table.lines])
            for kind, table in zip(options.databases, tables, strict=True)
            for name in ("p50", "p99")
        ]
        write_plot(options.plot, "A search by what is remembered", "messages", "ms", lines, log_x=True)
    return tables


async def _grown(kind: DatabaseKind, options: Options) -> Table:
    corpus, lines = Corpus(), list[Mapping[str, Any]]()
    with ExitStack() as parts:
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        url = f"sqlite:///{folder / 'memory.db'}"
        if kind == "postgresql":
            server = parts.enter_context(running_postgres(mortal=True))
            url = server.url(await server.create_database())
        for first, last in zip((0, *options.sizes), options.sizes, strict=False):
            added = await _add(url, corpus, first, last, options)
            progress(f"memory-growth, {kind}: searching {last} messages")
            questions = _questions(corpus, last, options)
            lines.append(
                {
                    "messages": last,
                    **added,
                    "disk MB": await _disk_mb(url, folder),
                    **_searched(url, questions, options),
                    **await over_http(url, _user(0), questions, options.vectors),
                }
            )
            progress(str(lines[-1]))
    return Table(f"{kind}, {options.users} users, vectors: {options.vectors}", lines)


async def _add(url: str, corpus: Corpus, first: int, last: int, options: Options) -> Mapping[str, Any]:
    """One add a session of 40 messages."""
    runtime = await MemoryRuntime.open(url, encoder=encoder_of(options.vectors))
    try:
        if not first:
            for number in range(options.users):
                await runtime.create_user(_user(number))
        begun, adds = time.perf_counter(), list[Any]()
        for session in corpus.sessions(first, last):
            namespace = Namespace("default", "default", _user(int(session.name.partition(":")[2]) % options.users))
            adds.append(runtime.add(namespace, session.name, session.messages))
            if len(adds) == ADDS_AT_ONCE:
                await _together(adds)
        await _together(adds)
        stored_s = time.perf_counter() - begun
        await runtime.wait_until_encoded()
    finally:
        await runtime.close()
    return {"stored/s": round((last - first) / stored_s)}


async def _together(adds: list[Any]) -> None:
    waiting, adds[:] = list(adds), []
    await asyncio.gather(*waiting)


def _questions(corpus: Corpus, messages: int, options: Options) -> Sequence[str]:
    """About what the first user said."""
    mine = min(messages, MESSAGES_A_SESSION) if options.users > 1 else messages
    return corpus.questions(mine, SEARCHES)


def _searched(url: str, questions: Sequence[str], options: Options) -> Mapping[str, Any]:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(probed, Probe(url, _user(0), questions, options.vectors)).result()


async def _disk_mb(url: str, folder: Path) -> int:
    if url.startswith("sqlite"):
        return round(await asyncio.to_thread(_bytes_in, folder) / 1e6)
    database = Database.open(url)
    try:
        async with database.read() as tx:
            size: int = await tx.scalar(text("SELECT pg_database_size(current_database())"))
    finally:
        await database.close()
    return round(size / 1e6)


def _bytes_in(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def _user(number: int) -> str:
    return f"user-{number}"
