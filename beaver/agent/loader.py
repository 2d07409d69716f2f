"""Composition root of a process that chats: from settings to a ready AgentLoop, and back to nothing open.

Here, and nowhere else, the memory plan decides which memory services exist.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import assert_never

import httpx

from beaver.agent.aside import Aside
from beaver.agent.context import history_budget
from beaver.agent.curated.service import MemoryService
from beaver.agent.curated.store import MemoryStore
from beaver.agent.curated.tool import MemoryTool
from beaver.agent.gateway_memory import SILENT_S, MemoryGatewayService
from beaver.agent.loop import AgentLoop, LoopSettings
from beaver.agent.middleware import Middleware, MiddlewareChain, installed_middlewares
from beaver.agent.observer import EngineObserver, ObservedProvider, Unobserved
from beaver.agent.policy.commands import MemoryCommands
from beaver.agent.policy.composing import owner_of, recall_bar, recall_middleware
from beaver.agent.policy.composing_writes import writing_middleware
from beaver.agent.policy.local import LocalMemory
from beaver.agent.policy.observer import PolicyObserver, UnobservedRecall
from beaver.agent.policy.stores import ItemStore
from beaver.agent.policy.switch import StoredSwitch
from beaver.agent.providers.base import Provider
from beaver.agent.providers.selection import build_provider
from beaver.agent.recording import LeaseTerms, RunRecorder
from beaver.agent.skills import SkillLibrary
from beaver.agent.tools.base import Tool
from beaver.agent.tools.dispatch import ToolDispatch
from beaver.agent.tools.session_search import SessionSearchTool
from beaver.agent.tools.skill import SkillTool
from beaver.apart import apart, look_names_up_apart
from beaver.client.gateway import MemoryGatewayClient
from beaver.client.jobs import PersistQueue
from beaver.clock import Clock, system_clock
from beaver.config.memory import (
    CuratedOnly,
    DegradedHybrid,
    GatewayOnly,
    GatewaySettings,
    Hybrid,
    MemoryPlan,
    degradation_warning,
    gateway_of,
)
from beaver.config.settings import Settings
from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from beaver.errors import Unavailable
from beaver.ids import IdSource, new_id
from beaver.logs import get_logger
from beaver.outbox.depth import LedgerDepth
from beaver.outbox.store import OutboxStore
from beaver.redaction import Redactor
from beaver.sessions.leases import LeaseStore
from beaver.sessions.search import TranscriptSearch
from beaver.sessions.store import SessionStore

OpenItems = Callable[[Settings], Awaitable[LocalMemory | None]]
"""Opens the host's own store of items where the configuration asks for one; may raise Unavailable."""


async def no_items(_settings: Settings) -> LocalMemory | None:
    """For processes that keep none."""
    return None


@dataclass(frozen=True)
class EngineLoadResult:
    """What a chat process works with. `warnings` are for people and hold no value of the configuration."""

    loop: AgentLoop
    aside: Aside
    database: Database
    sessions: SessionStore
    outbox: OutboxStore
    depth: LedgerDepth
    memory_service: MemoryService | None
    memory_gateway_service: MemoryGatewayService | None
    items: ItemStore | None
    memory_commands: MemoryCommands
    warnings: tuple[str, ...]
    _opened: AsyncExitStack

    async def aclose(self) -> None:
        """Close all that was opened, the last first; idempotent. Runs must have ended."""
        await self._opened.aclose()


class EngineLoader:
    """Builds the engine of one process. A change of the configuration needs a new load."""

    def __init__(
        self,
        settings: Settings,
        *,
        provider: Provider | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        middlewares: Sequence[Middleware] = (),
        lease_terms: LeaseTerms | None = None,
        observer: EngineObserver | None = None,
        recall_observer: PolicyObserver | None = None,
        open_items: OpenItems = no_items,
        clock: Clock = system_clock,
        ids: IdSource = new_id,
    ) -> None:
        """`provider` and `transport` stand in for the configured model and for the Gateway's connections.

        `open_items` comes from the composition, since what it opens is the memory engine's.
        """
        self._settings = settings
        self._provider = provider
        self._transport = transport
        self._middlewares = middlewares
        self._lease_terms = lease_terms or LeaseTerms(holder=ids("chat"))
        self._observer = observer or Unobserved()
        self._recall_observer = recall_observer or UnobservedRecall()
        self._open_items = open_items
        self._clock = clock
        self._ids = ids

    async def load(self) -> EngineLoadResult:
        """Bring the schema up to date, end runs that a crash left behind, and build what the plan asks for.

        Raises ConfigError for a setting that cannot be used and Unavailable when the session store cannot serve; what was
        opened until then is closed. Neither the queue nor the Gateway is contacted.
        """
        async with AsyncExitStack() as opened:
            return await self._load(opened)

    async def _load(self, opened: AsyncExitStack) -> EngineLoadResult:
        look_names_up_apart()
        plan = self._settings.memory
        database = Database.open(self._settings.sessions_url)
        opened.push_async_callback(database.close)
        sessions = SessionStore(database.dialect)
        outbox = OutboxStore(database.dialect, sessions)
        await _prepare(database, sessions)
        depth = LedgerDepth(database)
        opened.push_async_callback(depth.aclose)

        curated = self._curated(plan)
        gateway = self._gateway(gateway_of(plan), database, opened)
        skills = await apart(partial(SkillLibrary.load, self._settings.paths.skills))
        provider = self._open_provider(opened)
        tools = self._tools(database, curated, skills)
        local = await self._local(opened)
        items = None if local is None else local.items
        recall = self._recall(database, local, gateway, tools)
        writing = self._writing(database, local, provider)
        installed, warned = installed_middlewares()
        own = [middleware for middleware in (recall, writing) if middleware is not None]
        chain = MiddlewareChain([*own, *self._middlewares, *installed])
        opened.push_async_callback(chain.aclose)
        loop = AgentLoop(
            provider=provider,
            recorder=RunRecorder(database, sessions, outbox, LeaseStore(database.dialect), self._lease_terms),
            tools=tools,
            settings=self._loop_settings(recalls=recall is not None),
            curated=curated,
            gateway=gateway,
            skills=skills,
            middleware=chain,
            clock=self._clock,
            ids=self._ids,
        )
        warnings = (*_plan_warnings(plan), *skills.warnings, *warned, *self._item_warnings(items))
        aside = Aside(provider, output_tokens_max=self._settings.provider.output_tokens_max, ids=self._ids)
        return EngineLoadResult(
            loop,
            aside,
            database,
            sessions,
            outbox,
            depth,
            curated,
            gateway,
            items,
            MemoryCommands(database, items, owner_of(plan)),
            warnings,
            opened.pop_all(),
        )

    def _curated(self, plan: MemoryPlan) -> MemoryService | None:
        match plan:
            case CuratedOnly() | Hybrid() | DegradedHybrid():
                return MemoryService(MemoryStore(self._settings.paths.curated))
            case GatewayOnly():
                return None
            case _:
                assert_never(plan)

    def _gateway(
        self, settings: GatewaySettings | None, database: Database, opened: AsyncExitStack
    ) -> MemoryGatewayService | None:
        if settings is None:
            return None
        queue = PersistQueue.open(self._settings.redis_url, timeout_ms=self._settings.queue.enqueue_timeout_ms)
        client = MemoryGatewayClient(settings, transport=self._transport)
        bar = recall_bar(self._settings.memory_policy, owner_of(self._settings.memory), StoredSwitch(database))
        # A gated recall goes on after a third of a second in any case, and keeps what comes late.
        silent_s = None if self._settings.memory_policy.recall_policy == "gated" else SILENT_S
        service = MemoryGatewayService(client, queue, settings, self._observer, bar, silent_s=silent_s)
        opened.push_async_callback(service.aclose)
        return service

    async def _local(self, opened: AsyncExitStack) -> LocalMemory | None:
        """The host's own store. One that cannot be opened costs its memory, and no answer."""
        try:
            local = await self._open_items(self._settings)
        except Unavailable as error:
            get_logger().warning("items.unavailable", reason=str(error))
            return None
        if local is not None:
            opened.push_async_callback(local.items.close)
        return local

    def _recall(
        self, database: Database, local: LocalMemory | None, gateway: MemoryGatewayService | None, tools: ToolDispatch
    ) -> Middleware | None:
        provider = self._settings.provider
        return recall_middleware(
            self._settings.memory_policy,
            owner_of(self._settings.memory),
            local=local,
            gateway=gateway,
            switch=StoredSwitch(database),
            context_tokens=history_budget(provider.context_tokens_max, provider.output_tokens_max, tools.specs),
            credentials=Redactor(self._settings.secrets()),
            observer=self._recall_observer,
            clock=self._clock,
        )

    def _writing(self, database: Database, local: LocalMemory | None, provider: Provider) -> Middleware | None:
        return writing_middleware(
            self._settings,
            owner_of(self._settings.memory),
            local,
            database=database,
            provider=provider,
            switch=StoredSwitch(database),
            credentials=Redactor(self._settings.secrets()),
            observer=self._recall_observer,
            clock=self._clock,
        )

    def _item_warnings(self, items: ItemStore | None) -> tuple[str, ...]:
        if items is not None or not self._settings.memory_policy.local_store or self._open_items is no_items:
            return ()
        return ("The local memory cannot be opened; answers come without it until a restart. The log says why.",)

    def _open_provider(self, opened: AsyncExitStack) -> Provider:
        provider = self._provider or build_provider(self._settings.provider, self._settings.paths)
        opened.push_async_callback(provider.aclose)
        return ObservedProvider(provider, self._observer)

    def _tools(self, database: Database, curated: MemoryService | None, skills: SkillLibrary) -> ToolDispatch:
        tools: list[Tool] = [SessionSearchTool(database, TranscriptSearch(database.dialect))]
        if curated is not None:
            tools.append(MemoryTool(curated))
        if skills.skills:
            tools.append(SkillTool(skills))
        timeout_s = self._settings.agent.tool_timeout_seconds
        return ToolDispatch(tools, timeout_s=timeout_s, redactor=Redactor(self._settings.secrets()))

    def _loop_settings(self, *, recalls: bool) -> LoopSettings:
        return LoopSettings(
            identity=self._settings.agent.identity,
            tool_rounds_max=self._settings.agent.tool_rounds_max,
            output_tokens_max=self._settings.provider.output_tokens_max,
            context_tokens_max=self._settings.provider.context_tokens_max,
            hooks_recall=recalls and self._settings.memory_policy.recall_policy == "gated",
            untrusted_references=recalls,
        )


async def _prepare(database: Database, sessions: SessionStore) -> None:
    await ensure_schema(database, "beaver.db.migrations")
    async with database.write() as tx:
        reaped = await sessions.reap_runs(tx)
    if reaped:
        get_logger().warning("runs.reaped", count=len(reaped))


def _plan_warnings(plan: MemoryPlan) -> tuple[str, ...]:
    if not isinstance(plan, DegradedHybrid):
        return ()
    get_logger().warning("memory.gateway_degraded", missing=list(plan.missing))
    return (degradation_warning(plan),)
