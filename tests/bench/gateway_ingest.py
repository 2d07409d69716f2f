"""How much the Memory Gateway takes in over HTTP: single durable adds by many clients, and batches; its own process."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import func, select

from beaver.db.engine import Database
from beaver.memory.tables import messages
from tests.bench.figures import Table, percentiles_ms
from tests.bench.options import DatabaseKind, Options
from tests.support.memory_gateway import MORNING_MS, GatewayUser, gateway_process, new_user
from tests.support.postgres import running_postgres

ABOUT = (
    "messages a second that the Memory Gateway takes in over HTTP, single durable adds and batches, without an encoder"
)
ADDS = 3_000
BATCH = 100
CLIENTS = 32
USERS = 8
WORDS = (
    *("harbour", "lantern", "violin", "garden", "letter", "window", "river", "market"),
    *("bridge", "winter", "orange", "silver", "mountain", "paper", "music"),
)


async def measure(options: Options) -> list[Table]:
    """A table a database. Every add carries an `Idempotency-Key`, as a worker's does."""
    adds = options.turns or ADDS
    return [await _measured(kind, adds) for kind in options.databases]


async def _measured(kind: DatabaseKind, adds: int) -> Table:
    with ExitStack() as parts:
        root = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        url = f"sqlite:///{root / 'gateway.db'}"
        if kind == "postgresql":
            server = parts.enter_context(running_postgres(mortal=True))
            url = server.url(await server.create_database())
        running = gateway_process(root, database_url=url)
        async with running as process, httpx.AsyncClient(base_url=process.url) as http:
            users = [await new_user(http) for _ in range(USERS)]
            lines = [
                await _line("single adds", process.port, [_request(users, number, 1) for number in range(adds)], 1),
                await _line(
                    f"batches of {BATCH}",
                    process.port,
                    [_request(users, number, BATCH) for number in range(max(CLIENTS, adds // 20))],
                    BATCH,
                ),
            ]
        await _check(url, sum(line["messages"] for line in lines))
        return Table(f"{kind}, {CLIENTS} clients, {USERS} users", lines)


def _request(users: Sequence[GatewayUser], number: int, batch: int) -> bytes:
    user = users[number % len(users)]
    said = [
        {
            "sender_id": user.user_id,
            "role": "user",
            "timestamp": MORNING_MS + number,
            "content": message_text(number * batch + n),
        }
        for n in range(batch)
    ]
    body = json.dumps(
        {
            "user_id": user.user_id,
            "user_key": user.user_key,
            "session_id": f"chat:{number % 50}",
            "messages": said,
        }
    ).encode()
    head = (
        "POST /memories/add HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Idempotency-Key: {batch}-{number}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def message_text(number: int) -> str:
    """About twenty words, no two texts alike."""
    return (
        " ".join(WORDS[(number // (place + 1) + place * 7) % len(WORDS)] for place in range(18)) + f" number {number}"
    )


async def _line(what: str, port: int, requests: list[bytes], batch: int) -> dict[str, Any]:
    waiting, samples = list(reversed(requests)), list[float]()
    begun = time.perf_counter()
    await asyncio.gather(*(_client(port, waiting, samples) for _ in range(CLIENTS)))
    seconds = time.perf_counter() - begun
    p50, p99 = percentiles_ms(samples)
    return {
        "what": what,
        "messages": len(requests) * batch,
        "messages a second": round(len(requests) * batch / seconds),
        "p50 ms": round(p50, 1),
        "p99 ms": round(p99, 1),
    }


async def _client(port: int, waiting: list[bytes], samples: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while waiting:
        begun = time.perf_counter()
        writer.write(waiting.pop())
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        await reader.readexactly(length)
        samples.append(time.perf_counter() - begun)
    writer.close()


async def _check(url: str, expected: int) -> None:
    """What was answered 200 is there."""
    database = Database.open(url)
    try:
        async with database.read() as tx:
            stored = await tx.scalar(select(func.count()).select_from(messages))
    finally:
        await database.close()
    assert stored == expected, (stored, expected)
