"""Where the recall benchmark plays: a local store filled in one go, and the policy over it with any gate left out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

from beaver.agent.gateway_memory import Recalled, RecallOutcome
from beaver.agent.messages import PromptMessage
from beaver.agent.middleware import TurnContext
from beaver.agent.policy.blocks import Filter
from beaver.agent.policy.cache import RecallCache
from beaver.agent.policy.denylist import Denylist
from beaver.agent.policy.hybrid import HybridRecall, HybridTerms
from beaver.agent.policy.observer import UnobservedRecall
from beaver.agent.policy.privacy import redact
from beaver.agent.policy.quota import ReadQuota
from beaver.agent.policy.ranking import Thresholds
from beaver.agent.policy.recall import RecallMiddleware, RecallTerms
from beaver.agent.policy.searched import Found
from beaver.agent.policy.stores import ItemStore, NewItem, Owner, Switched
from beaver.cli.local_memory.mapping import as_observation, engine_user, namespaces
from beaver.cli.local_memory.store import LocalItemStore
from beaver.client.gateway import RecalledItem
from beaver.clock import system_clock
from beaver.db.engine import Database
from beaver.ids import new_id
from beaver.memory.inference.local import open_local_encoder
from beaver.memory.observations import applying
from beaver.memory.observations.entries import entry_of
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.users.store import ensure_namespace
from tests.bench.options import DatabaseKind
from tests.support.postgres import running_postgres

OWNER: Final = Owner("bench", "bench", "ada", "")
CHUNK: Final = 500


@asynccontextmanager
async def filled_store(
    items: Mapping[str, str], *, database: DatabaseKind = "sqlite", meaning: bool = False
) -> AsyncIterator[tuple[ItemStore, dict[str, str]]]:
    """A local store that holds the items, and their own ids by the store's."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        url = f"sqlite:///{folder / 'items.db'}"
        if database == "postgresql":
            server = stack.enter_context(running_postgres())
            url = server.url(await server.create_database())
        runtime = await MemoryRuntime.open(url, encoder=open_local_encoder() if meaning else None)
        store = LocalItemStore(runtime)
        stack.push_async_callback(store.close)
        await runtime.create_user(engine_user(OWNER))
        ids = await _fill(url, items)
        if meaning:
            # A write through the door has the engine look for what waits for vectors.
            await store.write(OWNER, NewItem("fact", "The benchmark has begun to measure.", "project", 0.9, "rules"))
            await runtime.wait_until_encoded()
        yield store, ids


async def _fill(url: str, items: Mapping[str, str]) -> dict[str, str]:
    """Without reconciliation, since a benchmark's items are what they are; many in one transaction."""
    ids: dict[str, str] = {}
    database = Database.open(url)
    try:
        keys = list(items)
        for first in range(0, len(keys), CHUNK):
            async with database.write() as tx:
                now_ms = system_clock()
                namespace_id = await ensure_namespace(tx, namespaces(OWNER)[0], now_ms)
                for key in keys[first : first + CHUNK]:
                    new = as_observation(NewItem("fact", items[key], "project", 0.9, "rules", (f"n{key}",)), "s-0")
                    entry = entry_of(new, "private", "owner", now_ms)
                    written = await applying.add(tx, namespace_id, entry, new_id)
                    ids[written.observation_id or ""] = key
    finally:
        await database.close()
    return ids


@dataclass(frozen=True)
class Setting:
    """The policy as a benchmark has it: which gate is left out of it."""

    gated: bool = True
    patches: Mapping[str, Any] = field(default_factory=dict)
    terms: Mapping[str, Any] = field(default_factory=dict)
    thresholds: Thresholds = field(default_factory=Thresholds)
    cache_s: float = 180


def never(*_arguments: object) -> bool:
    """A rule that never fits."""
    return False


SETTINGS: Final[Mapping[str, Setting]] = {
    "every turn searches": Setting(gated=False),
    "gated": Setting(),
    "without acknowledgements": Setting(patches={"beaver.agent.policy.gate.is_acknowledgement": never}),
    "without references to the past": Setting(patches={"beaver.agent.policy.gate.looks_back": never}),
    "without topic shift": Setting(patches={"beaver.agent.policy.question.is_shift": never}),
    "without the topic window": Setting(terms={"topic_turns": 0}),
    "without cache and window": Setting(cache_s=0),
    "without thresholds": Setting(thresholds=Thresholds(score_min=0, semantic_min=0, keyword_min=0, confidence_min=0)),
    "without the token budget": Setting(terms={"tokens_max": 100_000, "context_share": 1.0}),
}


class AlwaysOn:
    """A switch that nobody switches."""

    async def read(self, _session_id: str) -> Switched:
        """On."""
        return Switched()


class SlowGateway:
    """A Gateway whose every search takes so long."""

    def __init__(self, latency_s: float) -> None:
        self._latency_s = latency_s

    async def recall_before_run(self, session_id: str, prompt: str, *, traceparent: str | None = None) -> RecallOutcome:
        """One memory."""
        await asyncio.sleep(self._latency_s)
        return Recalled((RecalledItem("m", session_id, "The dam is of sticks.", 0.9, "all_user_memory", None),), ())


def middleware(
    store: ItemStore | None, setting: Setting, *, gateway: SlowGateway | None = None, local_deadline_s: float = 0.08
) -> RecallMiddleware:
    """The policy with its defaults, but for what the setting leaves out."""
    cache = RecallCache[Found](
        entries_max=256, ttl_s=setting.cache_s, empty_ttl_s=min(60, setting.cache_s), clock=_seconds
    )
    observer = UnobservedRecall()
    hybrid = HybridRecall(
        store,
        gateway,
        cache,
        thresholds=setting.thresholds,
        terms=HybridTerms(local_deadline_s=local_deadline_s),
        observer=observer,
        clock=system_clock,
    )
    return RecallMiddleware(
        OWNER,
        hybrid,
        cache,
        AlwaysOn(),
        Filter(redact, Denylist(), OWNER.project),
        recall_terms=RecallTerms(gated=setting.gated, context_tokens=128_000, **setting.terms),
        quota=ReadQuota(40),
        observer=observer,
        clock=_seconds,
    )


@asynccontextmanager
async def policy(store: ItemStore | None, setting: Setting, **more: Any) -> AsyncIterator[RecallMiddleware]:
    """The same for a while, with the setting's rules patched out."""
    with ExitStack() as patched:
        for name, stand_in in setting.patches.items():
            patched.enter_context(patch(name, stand_in))
        made = middleware(store, setting, **more)
        yield made
        await made.aclose()


def contexts(turns: Iterable[tuple[str, str]]) -> Iterable[TurnContext]:
    """Turns (session, prompt) as hooks see them, each with its session's history."""
    said: dict[str, list[PromptMessage]] = {}
    for number, (session, prompt) in enumerate(turns):
        history = said.setdefault(session, [])
        yield TurnContext(session, f"r-{number}", prompt, tuple(history))
        history += [PromptMessage("user", prompt, "history"), PromptMessage("assistant", "Here it is.", "history")]


def _seconds() -> float:
    return asyncio.get_running_loop().time()
