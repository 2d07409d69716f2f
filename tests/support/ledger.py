"""Completed turns in a session database, as a chat server leaves them; and a way to let a claim run out without waiting."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select, update

from beaver.config.memory import GatewaySettings
from beaver.db.engine import Database, Transaction
from beaver.db.tables import outbox
from beaver.outbox.claim_store import ClaimStore, Move
from beaver.outbox.inspection import OutboxInspection, TurnStory
from beaver.outbox.move_store import Moved
from beaver.outbox.states import State
from beaver.outbox.store import OutboxStore
from beaver.outbox.turns import Claim, NewTurn
from beaver.sessions.records import MESSAGE, NewEvent
from beaver.sessions.store import SessionStore

USER_KEY = "uk_canary-key-5f1c"
NUMBERS = itertools.count(1)


def gateway_settings(url: str, **changes: Any) -> GatewaySettings:
    """Settings of the user all turns here belong to."""
    values = {"base_url": url, "user_id": "ada", "user_key": USER_KEY, "timeout_seconds": 5, **changes}
    return GatewaySettings.model_validate(values)


class StepwiseClaims(ClaimStore):
    """Claims that are moved by hand, one turn and one step at a time."""

    async def claim(self, tx: Transaction, run_id: str, holder: str, *, claim_ms: int) -> Claim | None:
        """Take one turn: it then stands in `claimed`, or in `flushing` where only its flush is left; None if it is not free."""
        claimed = await self.claims(tx, [run_id], holder, claim_ms=claim_ms, sendable=lambda *_: False)
        await self.write(tx, [moved for moved, _ in claimed])
        return claimed[0][1].claim if claimed else None

    async def move(
        self, tx: Transaction, claim: Claim, target: State, *, detail: Mapping[str, Any] | None = None
    ) -> bool:
        """Move one claimed turn one step, and wait for its lock. False where the claim is lost."""
        [decided] = await self.moves(tx, [Move(claim, ((target, detail or {}),))], waiting=True)
        if isinstance(decided, Moved):
            await self.write(tx, [decided])
        return bool(decided)


@dataclass
class Ledger:
    """A session database with the stores over it."""

    database: Database
    sessions: SessionStore = field(init=False)
    store: OutboxStore = field(init=False)
    claims: StepwiseClaims = field(init=False)
    inspection: OutboxInspection = field(init=False)

    def __post_init__(self) -> None:
        self.sessions = SessionStore(self.database.dialect)
        self.store = OutboxStore(self.database.dialect, self.sessions)
        self.claims = StepwiseClaims(self.database.dialect, self.sessions)
        self.inspection = OutboxInspection(self.database.dialect)

    async def complete_turn(
        self,
        session_id: str = "s1",
        *,
        prompt: str = "What is tea?",
        answer: str = "A drink.",
        skip_reason: str | None = None,
        **changes: Any,
    ) -> str:
        """Commit a prompt, its answer and the outbox row in one transaction; returns the run id."""
        run_id = f"run_{next(NUMBERS):06d}"
        async with self.database.write() as tx:
            await self.sessions.ensure_session(tx, session_id)
            asked = await self.sessions.append(tx, session_id, run_id, NewEvent(MESSAGE, prompt, "user"))
            answered = await self.sessions.append(tx, session_id, run_id, NewEvent(MESSAGE, answer, "assistant"))
            values = {
                "run_id": run_id,
                "session_id": session_id,
                "user_event_id": asked,
                "answer_event_id": answered,
                "user_at_ms": 1_780_000_000_000,
                "answer_at_ms": 1_780_000_001_000,
                "gateway_user_id": "ada",
                "app_id": "default",
                "project_id": "default",
            }
            await self.store.insert(tx, NewTurn(**{**values, **changes}), skip_reason=skip_reason)
        return run_id

    async def state(self, run_id: str) -> State:
        """Where a turn stands."""
        return (await self.story(run_id)).summary.state

    async def story(self, run_id: str) -> TurnStory:
        """A turn with its timeline."""
        async with self.database.read() as tx:
            story = await self.inspection.find_turn(tx, run_id)
        assert story is not None
        return story

    async def path(self, run_id: str) -> list[State]:
        """The states a turn has passed through."""
        return [entry.to_state for entry in (await self.story(run_id)).timeline]

    async def audit(self, session_id: str = "s1") -> list[tuple[str, dict[str, Any]]]:
        """Kinds and payloads of the hidden events, oldest first."""
        async with self.database.read() as tx:
            events = await self.sessions.events(tx, session_id)
        return [(event.kind, dict(event.payload)) for event in events if not event.context_visible]

    async def generation(self, run_id: str) -> int:
        """How often the queue was rung for a turn after the first time."""
        return (await self.story(run_id)).summary.generation

    async def run_out(self, run_id: str) -> None:
        """Let the claim on a turn, if there is one, run out now."""
        await self._set(run_id, claim_expires_ms=1, due_ms=1)

    async def make_due(self, run_id: str) -> None:
        """Let a turn have waited long enough for another ring."""
        await self._set(run_id, due_ms=1)

    async def states(self) -> dict[str, State]:
        """Every turn's state."""
        async with self.database.read() as tx:
            return {row.run_id: State(row.state) for row in await tx.execute(select(outbox.c.run_id, outbox.c.state))}

    async def _set(self, run_id: str, **values: Any) -> None:
        async with self.database.write() as tx:
            await tx.execute(update(outbox).where(outbox.c.run_id == run_id).values(**values))
