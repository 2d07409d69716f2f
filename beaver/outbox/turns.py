"""What the ledger's stores take and give: a new turn, a claim on one, the steps it takes, a row that is due."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from beaver.config.memory import MemoryOwner
from beaver.outbox.states import State
from beaver.schemas.jobs import PersistJob

Step = tuple[State, Mapping[str, Any]]
"""A state to reach, and the payload of its timeline row and of the audit event that it may owe."""


@dataclass(frozen=True)
class NewTurn:
    """A completed turn on its way to the Gateway: where its two texts lie, and for whom it is meant."""

    run_id: str
    session_id: str
    user_event_id: int
    answer_event_id: int
    user_at_ms: int
    answer_at_ms: int
    gateway_user_id: str
    app_id: str
    project_id: str
    traceparent: str | None = None

    @property
    def owner(self) -> MemoryOwner:
        """For whose memory it is."""
        return MemoryOwner(self.gateway_user_id, self.app_id, self.project_id)


@dataclass(frozen=True)
class Claim:
    """A turn in a worker's hands. (holder, fence) names the claim; `state` says where it was taken up.

    Every move renews the claim for another `claim_ms`.
    """

    turn: NewTurn
    state: State
    holder: str
    fence: int
    attempt: int
    claim_ms: int


@dataclass(frozen=True)
class DueRow:
    """A row that waits, and that the queue was last rung for with `generation`."""

    run_id: str
    generation: int
    traceparent: str | None

    @property
    def last_ring(self) -> PersistJob:
        """The job of the last ring."""
        return PersistJob(run_id=self.run_id, generation=self.generation, traceparent=self.traceparent)
