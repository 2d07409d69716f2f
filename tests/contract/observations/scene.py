"""A scene: the observation services over one database, a clock that stands until it is moved, two users."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Table, func, select

from beaver.db.engine import Database
from beaver.memory.inference.port import Encoder
from beaver.memory.namespace import Namespace
from beaver.memory.observations import applying
from beaver.memory.observations.editing import ObservationEditing, forget_observation
from beaver.memory.observations.entries import entry_of
from beaver.memory.observations.people import PeopleService
from beaver.memory.observations.reading import ObservationReading
from beaver.memory.observations.reconcile import Add, Decision, Reconciler, RuleReconciler
from beaver.memory.observations.records import (
    Candidate,
    Evidence,
    NewObservation,
    Observation,
    ObservationFilter,
    ObservationQuestion,
    Trust,
)
from beaver.memory.observations.service import ObservationService
from beaver.memory.observations.trust import write_store
from beaver.memory.tables import namespaces, users
from beaver.memory.tools.handlers import ToolCaller, ToolServices
from beaver.memory.tools.table import MemoryTools
from beaver.memory.users.store import ensure_namespace
from tests.support.memory_gateway import MORNING_MS

DAY_MS = 86_400_000
ADA, BOB = Namespace("default", "default", "ada"), Namespace("default", "default", "bob")


def learned(title: str, *facts: str, message: str | None = None, **more: Any) -> NewObservation:
    """Something to remember; `message`: it was learned from the message of that id."""
    evidence = () if message is None else (Evidence("turn", message),)
    return NewObservation(**{"type": "preference", "title": title, "facts": facts, "evidence": evidence, **more})


@dataclass
class Told:
    """A reconciler that decides as it was told, and remembers what it was asked."""

    decisions: list[Decision] = field(default_factory=list)
    asked: list[list[Candidate]] = field(default_factory=list)

    async def decide(self, _new: NewObservation, _at_ms: int, candidates: Sequence[Candidate]) -> Decision:
        self.asked.append(list(candidates))
        return self.decisions.pop(0) if self.decisions else Add()


class Scene:
    """The services of one process; `at_ms` is their clock."""

    def __init__(
        self,
        database: Database,
        reconciler: Reconciler | None = None,
        encoder: Encoder | None = None,
        numbers: Iterator[int] | None = None,
    ) -> None:
        self.database = database
        self.at_ms = MORNING_MS
        self.numbers = numbers or itertools.count(1)
        self.service = ObservationService(
            database,
            self.clock,
            lambda prefix: f"{prefix}_{next(self.numbers):04}",
            reconciler=reconciler or RuleReconciler(),
            serving=lambda: encoder,
        )
        self.reading = ObservationReading(database, self.clock, serving=lambda: encoder)
        self.editing = ObservationEditing(database, self.clock)
        self.people = PeopleService(database, self.clock)
        self.tools = MemoryTools(ToolServices(database, self.service, self.reading, self.editing, self.people))

    def clock(self) -> int:
        return self.at_ms

    async def make_users(self) -> None:
        async with self.database.write() as tx:
            await tx.execute(users.insert(), [{"id": user_id, "created_ms": MORNING_MS} for user_id in ("ada", "bob")])

    async def write(
        self, title: str, *facts: str, trust: Trust = "owner", namespace: Namespace = ADA, **more: Any
    ) -> tuple[str, str | None]:
        """Write; the outcome and the id."""
        written = await self.service.write(namespace, learned(title, *facts, **more), trust)
        return written.outcome, written.observation_id

    async def add(self, title: str, *facts: str, **more: Any) -> str:
        """Write what must be new; the id."""
        outcome, observation_id = await self.write(title, *facts, **more)
        assert outcome == "added"
        assert observation_id is not None
        return observation_id

    async def add_at_once(self, trust: Trust, new: Sequence[NewObservation]) -> None:
        """Add many, as they are, in one transaction."""
        store = write_store(trust)
        assert store is not None
        async with self.database.write() as tx:
            namespace_id = await ensure_namespace(tx, ADA, self.at_ms)
            for one in new:
                entry = entry_of(one, store, trust, self.at_ms)
                await applying.add(tx, namespace_id, entry, lambda prefix: f"{prefix}_{next(self.numbers):04}")

    async def active(self, namespace: Namespace = ADA, trust: Trust = "owner") -> list[Observation]:
        """All active ones, the newest first."""
        return list((await self.reading.list(namespace, limit=200, trust=trust)).observations)

    async def titles(self, text: str, where: ObservationFilter | None = None, trust: Trust = "owner") -> list[str]:
        """The titles that answer, best first."""
        question = ObservationQuestion(text, where or ObservationFilter())
        return [one.observation.title for one in await self.reading.search(ADA, question, trust)]

    async def tool(self, name: str, trust: Trust = "owner", /, **arguments: Any) -> dict[str, Any]:
        """Call a tool, in the session `chat:s`."""
        return await self.tools.call(name, arguments, ToolCaller(ADA, trust, "chat:s"))

    async def events(self, observation_id: str) -> list[str]:
        """The events of a history."""
        return [entry.event for entry in await self.reading.history(ADA, observation_id)]

    async def forget(self, observation_id: str, namespace: Namespace = ADA) -> None:
        """Forget one, as whoever forgets does."""
        async with self.database.write() as tx:
            namespace_id = await ensure_namespace(tx, namespace, self.at_ms)
            await forget_observation(tx, namespace_id, observation_id, self.at_ms)

    async def count(self, table: Table, **where: Any) -> int:
        """How many rows."""
        conditions = (table.c[name] == value for name, value in where.items())
        async with self.database.read() as tx:
            return await tx.scalar(select(func.count()).select_from(table).where(*conditions)) or 0

    async def namespace_id(self, namespace: Namespace = ADA) -> int:
        """The number of a namespace that was written to."""
        async with self.database.read() as tx:
            found: int | None = await tx.scalar(
                select(namespaces.c.id).where(namespaces.c.user_id == namespace.user_id)
            )
        assert found is not None
        return found

    def later(self, days: float = 1) -> None:
        """Move the clock."""
        self.at_ms += int(days * DAY_MS)

    def beside(self, reconciler: Reconciler | None = None, encoder: Encoder | None = None) -> Scene:
        """Another process over the same database."""
        made = Scene(self.database, reconciler, encoder, self.numbers)
        made.at_ms = self.at_ms
        return made
