"""What an open stream holds: the memory of a chat server with up to 1,000 answers under way."""

from __future__ import annotations

import asyncio
import resource
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import psutil

from tests.bench.chat_servers import WORDS, Script, Serving, chat_server, database_urls
from tests.bench.figures import Table, progress
from tests.bench.http_load import FIRST_WORD, Connection, load, request_of
from tests.bench.options import DatabaseKind, Options
from tests.bench.serve import BODY

ABOUT = "memory of a chat server per open stream, up to --turns of them (1,000)"
STREAMS = 1000
PARTS = 4
WARM_UP = 100
AT_ONCE = 50
SETTLED_S = 2.0
FILES_BESIDE = 200
# Quick answers until the server is warm, then some that say a word and think for long.
SCRIPT: Script = (*[{"text": WORDS}] * WARM_UP, {"text": f"{WORDS} " * 5, "delay_ms": 10_000})


async def measure(options: Options) -> list[Table]:
    """One table a database; each line is the same server, with that many answers begun and none at its end."""
    streams = options.turns or STREAMS
    _allow_files(streams + FILES_BESIDE)
    async with AsyncExitStack() as parts:
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        urls = await parts.enter_async_context(database_urls(folder))
        return [await _held(kind, folder / kind, urls[kind], streams) for kind in options.databases]


async def _held(kind: DatabaseKind, folder: Path, database_url: str, streams: int) -> Table:
    async with chat_server(folder, database_url, SCRIPT, runsMax=streams + 1) as server:
        await load([server.port], BODY, requests=WARM_UP, at_once=4)
        await asyncio.sleep(SETTLED_S)
        lines, open_ones = [_line(server, 0, 0.0)], list[Connection]()
        for part in range(1, PARTS + 1):
            progress(f"streams, {kind}: {streams * part // PARTS} of {streams}")
            open_ones += await _opened(server, streams * part // PARTS - len(open_ones))
            lines.append(_line(server, len(open_ones), lines[0]["RSS MB"]))
        for each in open_ones:
            each.close()
        return Table(f"one chat server on {kind}", lines)


async def _opened(server: Serving, count: int) -> list[Connection]:
    """Further streams, each of which has said its first word."""
    opened = list[Connection]()
    while len(opened) < count:
        more = min(AT_ONCE, count - len(opened))
        opened += await asyncio.gather(*(_begun(server.port) for _ in range(more)))
    await asyncio.gather(*(_first_word(each) for each in opened))
    return opened


async def _begun(port: int) -> Connection:
    connection = await Connection.open(port)
    await connection.begin(request_of({**BODY, "stream": True}))
    return connection


async def _first_word(connection: Connection) -> None:
    while FIRST_WORD not in (piece := await connection.piece()):
        assert piece, "a stream ended without a word"


def _line(server: Serving, streams: int, base_mb: float) -> dict[str, Any]:
    rss_mb = psutil.Process(server.pid).memory_info().rss / 1e6
    each = round((rss_mb - base_mb) * 1000 / streams, 1) if streams else None
    return {"open streams": streams, "RSS MB": round(rss_mb, 1), "kB a stream": each}


def _allow_files(needed: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(needed, hard), hard))
