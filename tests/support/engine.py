"""An agent loop over real parts: a session database, a scripted provider, and whatever else a test gives it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, select

from beaver.agent.curated.service import MemoryService
from beaver.agent.gateway_memory import MemoryGatewayService
from beaver.agent.loop import AgentLoop, LoopSettings
from beaver.agent.messages import Completion, ToolCall, ToolSpec, Usage
from beaver.agent.middleware import Middleware, MiddlewareChain
from beaver.agent.providers.scripted import ScriptedProvider, Step
from beaver.agent.recording import LeaseTerms, RunRecorder
from beaver.agent.results import AgentRunResult, RunEvent, RunRequest
from beaver.agent.skills import SkillLibrary
from beaver.agent.tools.base import Tool, ToolContext
from beaver.agent.tools.dispatch import ToolDispatch
from beaver.clock import Clock, system_clock
from beaver.config.settings import AgentSettings
from beaver.db.engine import Database
from beaver.db.tables import outbox as outbox_table
from beaver.outbox.store import OutboxStore
from beaver.sessions.leases import LeaseStore
from beaver.sessions.records import RunRecord, StoredEvent
from beaver.sessions.store import SessionStore

SESSION = "s-1"
IDENTITY = AgentSettings().identity


def says(text: str, finish: Any = "stop") -> Completion:
    """A provider's step: an answer."""
    return Completion(text, (), Usage(10, 2), finish)


def asks(*calls: tuple[str, Mapping[str, Any]], text: str = "") -> Completion:
    """A provider's step: tool calls, by name and arguments."""
    made = tuple(ToolCall(f"c{n}", name, json.dumps(arguments)) for n, (name, arguments) in enumerate(calls, 1))
    return Completion(text, made, Usage(10, 2), "tool_calls")


class Tells:
    """A tool that answers with a fixed text and remembers its calls."""

    def __init__(self, name: str = "lookup", text: str = "found it") -> None:
        self.spec = ToolSpec(name, f"the tool {name}", {"type": "object"})
        self.calls: list[dict[str, Any]] = []
        self._text = text

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        self.calls.append(dict(arguments))
        return self._text


@dataclass
class Engine:
    """A loop, its provider, and a view of what it stored."""

    loop: AgentLoop
    provider: ScriptedProvider
    database: Database
    sessions: SessionStore

    async def ask(self, prompt: str, session_id: str = SESSION, **request: Any) -> AgentRunResult:
        """Run one prompt."""
        return await self.loop.run(RunRequest(prompt, session_id, **request))

    async def events(self, session_id: str = SESSION) -> list[StoredEvent]:
        """All events of a session, hidden ones too."""
        async with self.database.read() as tx:
            return await self.sessions.events(tx, session_id)

    async def spoken(self, session_id: str = SESSION) -> list[tuple[str | None, str]]:
        """(role, text) of the visible events."""
        return [(event.role, event.content) for event in await self.events(session_id) if event.context_visible]

    async def audit(self, session_id: str = SESSION) -> list[tuple[str, dict[str, Any]]]:
        """(name, payload) of the hidden events."""
        return [
            (event.kind, dict(event.payload)) for event in await self.events(session_id) if not event.context_visible
        ]

    async def runs(self, session_id: str = SESSION) -> list[RunRecord]:
        """The session's runs, oldest first."""
        async with self.database.read() as tx:
            found = await self.sessions.list_runs(tx, session_id)
        return sorted(found, key=lambda run: run.fence)

    async def ledger(self) -> Sequence[Row[Any]]:
        """The rows of the outbox, in the order of their answers."""
        async with self.database.read() as tx:
            return (await tx.execute(select(outbox_table).order_by(outbox_table.c.position))).all()


def engine(
    database: Database,
    steps: Iterable[Step],
    *,
    tools: Sequence[Tool] = (),
    curated: MemoryService | None = None,
    gateway: MemoryGatewayService | None = None,
    skills: SkillLibrary | None = None,
    middlewares: Sequence[Middleware] = (),
    clock: Clock = system_clock,
    lease_terms: LeaseTerms | None = None,
    outbox: OutboxStore | None = None,
    **limits: Any,
) -> Engine:
    """Compose a loop as the loader does, with these parts."""
    sessions = SessionStore(database.dialect)
    provider = ScriptedProvider(steps)
    recorder = RunRecorder(
        database,
        sessions,
        outbox or OutboxStore(database.dialect, sessions),
        LeaseStore(database.dialect),
        lease_terms or LeaseTerms("test"),
    )
    loop = AgentLoop(
        provider=provider,
        recorder=recorder,
        tools=ToolDispatch(tools, timeout_s=5),
        settings=LoopSettings(IDENTITY, **limits),
        curated=curated,
        gateway=gateway,
        skills=skills,
        middleware=MiddlewareChain(middlewares),
        clock=clock,
    )
    return Engine(loop, provider, database, sessions)


class Listener:
    """Collects what a run tells."""

    def __init__(self) -> None:
        self.heard: list[RunEvent] = []

    async def __call__(self, event: RunEvent) -> None:
        self.heard.append(event)

    def kinds(self) -> list[str]:
        """Names of the events, runs of one kind counted once."""
        names = [type(event).__name__ for event in self.heard]
        return [name for index, name in enumerate(names) if index == 0 or names[index - 1] != name]
