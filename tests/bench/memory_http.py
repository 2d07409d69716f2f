"""Searches of a grown memory through the Gateway's own process, as a chat server makes them."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from beaver.memory.runtime import MemoryRuntime
from tests.bench.figures import percentiles_ms
from tests.bench.memory_probe import WARM_UP
from tests.support.memory_gateway import GatewayUser, gateway_process

LIMIT = 10
CLIENTS = 8


async def over_http(url: str, user: str, questions: Sequence[str], vectors: str) -> Mapping[str, Any]:
    """One after the other, then by several clients at once. Nothing for `hashed` vectors, which no Gateway has an encoder for."""
    if vectors == "hashed":
        return {}
    key = await _key_of(url, user)
    with tempfile.TemporaryDirectory() as root:
        async with (
            gateway_process(Path(root), database_url=url, embedding=vectors) as process,
            httpx.AsyncClient(base_url=process.url, trust_env=False, timeout=300) as http,
        ):
            asking = GatewayUser(http, user, key)
            for question in questions[:WARM_UP]:
                await _search(asking, f"{question} too")  # the encoder remembers what it was asked last
            p50, p99 = percentiles_ms([await _search(asking, question) for question in questions])
            at_once = await _together(asking, questions)
    return {"HTTP p50 ms": round(p50, 1), "HTTP p99 ms": round(p99, 1), f"by {CLIENTS} at once/s": round(at_once)}


async def _together(asking: GatewayUser, questions: Sequence[str]) -> float:
    """Searches a second."""
    left, begun = iter(questions), time.perf_counter()

    async def client() -> None:
        for question in left:
            await _search(asking, f"{question} too")  # the encoder remembers what it was asked last

    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return len(questions) / (time.perf_counter() - begun)


async def _key_of(url: str, user: str) -> str:
    runtime = await MemoryRuntime.open(url)
    try:
        return (await runtime.add_key(user)).key
    finally:
        await runtime.close()


async def _search(asking: GatewayUser, question: str) -> float:
    """Seconds."""
    begun = time.perf_counter()
    await asking.search(question, scope=["all_user_memory"], top_k=LIMIT)
    return time.perf_counter() - begun
