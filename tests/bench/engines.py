"""Chat engines to measure: a provider that costs nothing, a folder of their own, and the latency of one answer."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from beaver.agent.loader import EngineLoader
from beaver.agent.loop import AgentLoop
from beaver.agent.messages import Completion, Usage
from beaver.agent.providers.scripted import ScriptedProvider
from beaver.agent.results import Answered, RunEvent, RunRequest
from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.config.settings import Settings


def settings_for(folder: Path, memory: Mapping[str, Any], redis_url: str = "redis://127.0.0.1:1") -> Settings:
    """Settings of an instance in the folder."""
    return parse_settings(InstancePaths.at(folder), {"memory": memory, "queue": {"redisUrl": redis_url}}, {})


def hybrid(gateway_url: str) -> dict[str, Any]:
    """A hybrid memory section."""
    gateway = {"baseUrl": gateway_url, "userId": "bench", "userKey": "uk_bench_key"}
    return {"mode": "hybrid", "gateway": gateway}


@asynccontextmanager
async def running_engine(settings: Settings) -> AsyncIterator[AgentLoop]:
    """A loaded engine whose provider answers at once."""
    provider = ScriptedProvider([Completion("An answer of a few words.", (), Usage(10, 6), "stop")])
    engine = await EngineLoader(settings, provider=provider).load()
    try:
        yield engine.loop
    finally:
        await engine.aclose()


async def answer_latency_s(loop: AgentLoop, session: str) -> float:
    """Seconds from the prompt to the committed answer."""
    begun = time.perf_counter()
    answered: list[float] = []

    async def note(event: RunEvent) -> None:
        if isinstance(event, Answered):
            answered.append(time.perf_counter() - begun)

    result = await loop.run(RunRequest("What do you know about beavers?", session), note)
    assert result.error is None
    return answered[0]
