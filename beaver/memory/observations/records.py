"""The values that observations are written from and read as."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Store = Literal["private", "shared", "social"]
ObservationType = Literal["person", "decision", "preference", "event", "technical", "discovery", "task"]
Outcome = Literal["added", "updated", "deleted", "skipped", "exact_dup"]
HistoryEvent = Literal["ADD", "UPDATE", "DELETE", "COMPRESS"]
EndReason = Literal["superseded", "deleted", "compressed", "expired"]

OBSERVATION_TYPES: Final[tuple[ObservationType, ...]] = (
    "person",
    "decision",
    "preference",
    "event",
    "technical",
    "discovery",
    "task",
)


@dataclass(frozen=True)
class Evidence:
    """The message that an observation was learned from."""

    turn_id: str
    message_id: str


@dataclass(frozen=True)
class NewObservation:
    """Something to remember. `session_id`: the conversation it was learned in; `observed_ms`: when, UTC epoch ms; None is now."""

    type: ObservationType
    title: str
    narrative: str = ""
    facts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    related_files: tuple[str, ...] = ()
    related_people: tuple[str, ...] = ()
    source: str = "tool"
    session_id: str | None = None
    evidence: tuple[Evidence, ...] = ()
    observed_ms: int | None = None
    expires_ms: int | None = None


@dataclass(frozen=True)
class Observation:
    """A stored observation; active while `ended_ms` is None. Times are UTC epoch milliseconds."""

    id: str
    store: Store
    type: ObservationType
    title: str
    narrative: str
    facts: tuple[str, ...]
    tags: tuple[str, ...]
    related_files: tuple[str, ...]
    related_people: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    source: str
    min_trust: str
    mention_count: int
    token_count: int
    pinned: bool
    session_id: str | None
    created_ms: int
    updated_ms: int
    used_ms: int | None = None
    expires_ms: int | None = None
    ended_ms: int | None = None
    end_reason: EndReason | None = None
    successor_id: str | None = None


@dataclass(frozen=True)
class Written:
    """What a write came to, and the row that now says it; None where nothing was written."""

    outcome: Outcome
    observation_id: str | None
