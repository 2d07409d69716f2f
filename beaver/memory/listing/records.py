"""The values of listings. Times are UTC epoch milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from beaver.memory.observations.records import Evidence, Observation, ObservationType

MemoryKind = Literal["message", "observation"]


@dataclass(frozen=True)
class MemoryFilter:
    """Which memories are wanted; `since_ms` ≤ said or learned < `until_ms`. A `type` is one of observations."""

    kind: MemoryKind | None = None
    session_id: str | None = None
    type: ObservationType | None = None
    since_ms: int | None = None
    until_ms: int | None = None


ALL_MEMORIES: Final = MemoryFilter()


@dataclass(frozen=True)
class StoredMessage:
    """A message as it was said."""

    id: str
    session_id: str
    role: str
    speaker: str
    content: str
    observed_ms: int


Memory = StoredMessage | Observation


@dataclass(frozen=True)
class Source:
    """What an observation was learned from; `message` is None where it was forgotten, or is another memory's."""

    evidence: Evidence
    message: StoredMessage | None


@dataclass(frozen=True)
class MemoryPage:
    """Some memories, the newest first. `next_cursor` is None on the last page."""

    memories: Sequence[Memory]
    next_cursor: str | None


@dataclass(frozen=True)
class ResourceEntry:
    """A stored document without its words; `characters` says how long it is."""

    uri: str
    title: str
    characters: int
    created_ms: int
    updated_ms: int


@dataclass(frozen=True)
class ResourcePage:
    """Some documents, in the order of their URIs."""

    resources: Sequence[ResourceEntry]
    next_cursor: str | None
