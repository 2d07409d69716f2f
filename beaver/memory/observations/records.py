"""The values that observations are written from and read as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Trust = Literal["owner", "full", "inner", "familiar", "public"]
Store = Literal["private", "shared", "social"]
ObservationType = Literal["person", "decision", "preference", "event", "technical", "discovery", "task"]
Outcome = Literal["added", "updated", "deleted", "skipped", "exact_dup"]
HistoryEvent = Literal["ADD", "UPDATE", "DELETE", "COMPRESS"]
EndReason = Literal["superseded", "deleted", "compressed", "expired"]

STORES: Final[tuple[Store, ...]] = ("private", "shared", "social")
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
    """What a write came to, and the row that now says it; None where nothing was written. `evidence_gone`: nothing was, for a
    message that it was captured from is not there any more."""

    outcome: Outcome
    observation_id: str | None
    evidence_gone: bool = False


@dataclass(frozen=True)
class Content:
    """What an observation says, without whose it is and where it is kept."""

    title: str
    narrative: str
    facts: tuple[str, ...]
    tags: tuple[str, ...] = ()
    related_files: tuple[str, ...] = ()
    related_people: tuple[str, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """A stored observation that is like a new one. `score` in [0, 1]: how alike."""

    observation: Observation
    score: float


@dataclass(frozen=True)
class ObservationFilter:
    """Which active observations count. Of a list with members, one must fit; `since_ms` ≤ learned < `until_ms`, UTC epoch ms.

    Names of people are compared folded, and by every alias that is known; paths and tags as they are written.
    """

    stores: tuple[Store, ...] = STORES
    types: tuple[ObservationType, ...] = ()
    people: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    session_id: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None


@dataclass(frozen=True)
class ObservationPage:
    """Some observations, the newest first. `next_cursor` is None on the last page."""

    observations: tuple[Observation, ...]
    next_cursor: str | None


@dataclass(frozen=True)
class Expiry:
    """When an observation's time is over, UTC epoch ms; None is never."""

    at_ms: int | None


@dataclass(frozen=True)
class ObservationEdit:
    """What a person changes; None leaves a field as it is."""

    type: ObservationType | None = None
    title: str | None = None
    narrative: str | None = None
    facts: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    related_files: tuple[str, ...] | None = None
    related_people: tuple[str, ...] | None = None
    expiry: Expiry | None = None


@dataclass(frozen=True)
class HistoryEntry:
    """One change. `before` and `after`: the observation's content as JSON; None where there was none, or once forgotten."""

    observation_id: str
    event: HistoryEvent
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    reason: str
    at_ms: int


@dataclass(frozen=True)
class Timeline:
    """What was learned around an observation: strictly before and strictly after it, each in the order of time."""

    before: tuple[Observation, ...]
    anchor: Observation
    after: tuple[Observation, ...]


@dataclass(frozen=True)
class ObservationQuestion:
    """What to find. Without text, what is recent and often mentioned. `tokens_max` bounds the answer, the first excepted."""

    text: str
    where: ObservationFilter = ObservationFilter()
    limit: int = 10
    tokens_max: int | None = None


@dataclass(frozen=True)
class FoundObservation:
    """An observation that answers. `score` is in [0, 1], compares within one question, and `why` is its breakdown."""

    observation: Observation
    score: float
    why: Mapping[str, float]


@dataclass(frozen=True)
class Person:
    """Somebody who was mentioned: the name first heard, other names, what is known. `store` is that of the first mention."""

    name: str
    store: Store
    aliases: tuple[str, ...]
    facts: tuple[str, ...]
    mention_count: int
    created_ms: int
    updated_ms: int


@dataclass(frozen=True)
class RelatedFile:
    """A file that observations speak of: how many, and when the last of them changed (UTC epoch ms)."""

    path: str
    observations: int
    updated_ms: int
