"""A process of its own that opens a grown memory and searches it: what it takes, in time and in memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import psutil

from beaver.collector import settle_collector
from beaver.memory.inference.local import open_local_encoder
from beaver.memory.inference.port import Encoded, Encoder
from beaver.memory.namespace import Namespace
from beaver.memory.records import NewMessage, Question
from beaver.memory.retrieval.stems import stems_of
from beaver.memory.retrieval.words import index_text
from beaver.memory.runtime import MemoryRuntime
from tests.bench.figures import percentiles_ms
from tests.bench.memory_corpus import START_MS

WARM_UP = 20
TURNS = 50
DIMENSIONS = 384


class HashedWords:
    """Vectors that cost next to nothing: a direction drawn for each stem, a text's the sum of its stems'. With word pieces."""

    model = "hashed-words"
    dimensions = DIMENSIONS

    async def encode_passages(self, texts: Sequence[str]) -> list[Encoded]:
        """One for each text."""
        return [_encoded(text) for text in texts]

    async def encode_question(self, text: str) -> Encoded:
        """As a passage."""
        return _encoded(text)

    async def close(self) -> None:
        """Nothing is held."""


def _encoded(text: str) -> Encoded:
    stems = np.array(stems_of(index_text(text)) or [0], np.int64)
    pieces = _directions()[stems % len(_directions())]
    whole = pieces.sum(axis=0)
    return Encoded(whole / np.linalg.norm(whole), pieces, (stems % 65_536).astype(np.int32), np.ones(len(stems), bool))


_DRAWN: list[Any] = []


def _directions() -> Any:
    """(16,384, dimensions), each of length 1; drawn on first use."""
    if not _DRAWN:
        drawn = np.random.default_rng(7).standard_normal((16_384, DIMENSIONS), np.float32)
        _DRAWN.append(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))
    return _DRAWN[0]


def encoder_of(vectors: str) -> Encoder | None:
    """For `none`, `hashed` or `local`."""
    return {"none": lambda: None, "hashed": HashedWords, "local": open_local_encoder}[vectors]()


@dataclass(frozen=True)
class Probe:
    """What is asked of whom; `vectors` as for `encoder_of`."""

    url: str
    user: str
    questions: Sequence[str]
    vectors: str


def probed(probe: Probe) -> Mapping[str, Any]:
    """Run it in the process that calls."""
    return asyncio.run(_probed(probe))


async def _probed(probe: Probe) -> Mapping[str, Any]:
    encoder = encoder_of(probe.vectors)
    runtime = await MemoryRuntime.open(probe.url, encoder=encoder)
    try:
        if encoder is not None:
            await encoder.encode_question("to have it loaded")
        return await _figures(runtime, Namespace("default", "default", probe.user), probe.questions)
    finally:
        await runtime.close()


async def _figures(runtime: MemoryRuntime, namespace: Namespace, questions: Sequence[str]) -> Mapping[str, Any]:
    process = psutil.Process()
    empty_mb = process.memory_info().rss / 1e6
    first_s = await _search(runtime, namespace, questions[0])
    settle_collector()
    for question in questions[:WARM_UP]:
        await _search(runtime, namespace, question)
    busy_s = time.process_time()
    p50, p99 = percentiles_ms([await _search(runtime, namespace, question) for question in questions])
    busy_ms = (time.process_time() - busy_s) * 1000 / len(questions)
    await _turn(runtime, namespace, "We decided to answer in short.")
    after_turn, _ = percentiles_ms([await _search_after_turn(runtime, namespace, each) for each in questions[:TURNS]])
    teaching, _ = percentiles_ms([await _teach(runtime, namespace, each) for each in questions[:TURNS]])
    return {
        "first ms": round(first_s * 1000),
        "p50 ms": round(p50, 1),
        "p99 ms": round(p99, 1),
        "CPU ms": round(busy_ms, 1),
        "after a turn ms": round(after_turn, 1),
        "a turn ms": round(teaching, 1),
        "RSS MB": round(process.memory_info().rss / 1e6),
        "of it empty": round(empty_mb),
    }


async def _search(runtime: MemoryRuntime, namespace: Namespace, text: str) -> float:
    """Seconds."""
    begun = time.perf_counter()
    await runtime.search(namespace, Question(text, "chat:elsewhere", ("all_user_memory",), 10))
    return time.perf_counter() - begun


async def _search_after_turn(runtime: MemoryRuntime, namespace: Namespace, text: str) -> float:
    """As a chat does it: what was said last is stored, learned from and encoded by then."""
    await _turn(runtime, namespace, text)
    await runtime.wait_until_encoded()
    return await _search(runtime, namespace, text)


async def _teach(runtime: MemoryRuntime, namespace: Namespace, text: str) -> float:
    """Seconds of a turn that has something to be learned: its add and its flush."""
    await runtime.wait_until_encoded()
    begun = time.perf_counter()
    await _turn(runtime, namespace, f"We decided to look at {text[-60:].rstrip('?')} on Friday.")
    return time.perf_counter() - begun


async def _turn(runtime: MemoryRuntime, namespace: Namespace, text: str) -> None:
    """In a session that has taught something, and so has a summary that each turn changes."""
    said = [NewMessage("user", "Ada", START_MS, text), NewMessage("assistant", "beaver", START_MS, f"So: {text}")]
    await runtime.add(namespace, "chat:new", said)
    await runtime.flush(namespace, "chat:new")
