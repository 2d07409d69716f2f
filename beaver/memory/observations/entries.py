"""What is to be written, pure: checked, clipped, and known by its hash."""

from __future__ import annotations

import hashlib
import json
import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from beaver.errors import InvalidInput
from beaver.memory.embedding.texts import whole_text
from beaver.memory.namespace import validate_name
from beaver.memory.observations.records import OBSERVATION_TYPES, Evidence, NewObservation, Store, Trust
from beaver.memory.stored_text import storable
from beaver.text import count_unspaced

TITLE_LENGTH_MAX: Final = 80
NARRATIVE_LENGTH_MAX: Final = 400
FACT_LENGTH_MAX: Final = 200
TAG_LENGTH_MAX: Final = 50
PERSON_LENGTH_MAX: Final = 100
FILE_LENGTH_MAX: Final = 200
LIST_LENGTH_MAX: Final = 20
EVIDENCE_MAX: Final = 200
SOURCE_LENGTH_MAX: Final = 50
TIME_MS_MAX: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""

EXPLICIT_SOURCES: Final = frozenset({"tool", "person"})
"""Sources that write because somebody asked for it: these may say again what was forgotten."""
CAPTURE_SOURCE: Final = "auto_capture"
"""The source of what a flush finds in messages."""


class Said(Protocol):
    """What an observation says."""

    @property
    def title(self) -> str: ...

    @property
    def narrative(self) -> str: ...

    @property
    def facts(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Entry:
    """A write, ready to be made. `at_ms`: when it was learned, `now_ms`: when it is written, UTC epoch ms."""

    new: NewObservation
    store: Store
    trust: Trust
    hash: str
    at_ms: int
    now_ms: int

    @property
    def is_explicit(self) -> bool:
        """Whether somebody asked for it, so that a tombstone does not stand in its way."""
        return self.new.source in EXPLICIT_SOURCES

    @property
    def is_captured(self) -> bool:
        """Whether it holds words of the messages that it names as evidence."""
        return self.new.source == CAPTURE_SOURCE


def entry_of(new: NewObservation, store: Store, trust: Trust, now_ms: int) -> Entry:
    """Clip, and hash. Raises InvalidInput for a field that breaks a rule; a time ahead of our clock is now."""
    kept = clipped(new)
    at_ms = now_ms if kept.observed_ms is None else min(kept.observed_ms, now_ms)
    return Entry(kept, store, trust, content_hash(kept.title, kept.facts), at_ms, now_ms)


def clipped(new: NewObservation) -> NewObservation:
    """The observation within its bounds: what is too long is cut, blank members and copies are dropped.

    Raises InvalidInput for a type that is none, a blank title, or a source, session or time that breaks a rule.
    """
    if new.type not in OBSERVATION_TYPES:
        raise InvalidInput("type", f"must be one of {', '.join(OBSERVATION_TYPES)}")
    title = clip(new.title, TITLE_LENGTH_MAX)
    if not title:
        raise InvalidInput("title", "must not be blank")
    _check_times(new)
    return replace(
        new,
        title=title,
        narrative=clip(new.narrative, NARRATIVE_LENGTH_MAX),
        facts=clipped_list(new.facts, FACT_LENGTH_MAX),
        tags=clipped_list(new.tags, TAG_LENGTH_MAX),
        related_files=clipped_list(new.related_files, FILE_LENGTH_MAX),
        related_people=clipped_list(new.related_people, PERSON_LENGTH_MAX),
        evidence=merged_evidence((), new.evidence),
        source=validate_name(new.source, "source", characters_max=SOURCE_LENGTH_MAX),
        session_id=None if new.session_id is None else validate_name(new.session_id, "session_id"),
    )


def clipped_list(members: Iterable[str], length_max: int) -> tuple[str, ...]:
    """At most 20 of them, each cut; no blank ones, no two alike."""
    cut = dict.fromkeys(kept for member in members if (kept := clip(member, length_max)))
    return tuple(cut)[:LIST_LENGTH_MAX]


def merged_evidence(held: Sequence[Evidence], new: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The messages of both, the first 200."""
    return tuple(dict.fromkeys((*held, *new)))[:EVIDENCE_MAX]


def content_hash(title: str, facts: Sequence[str]) -> str:
    """SHA-256 over title and facts."""
    return hashlib.sha256(json.dumps([title, *facts]).encode()).hexdigest()


def fact_hash(fact: str) -> str:
    """SHA-256 of one fact, however it is spelled in capitals and spaces."""
    return hashlib.sha256(f"fact\n{folded(fact)}".encode()).hexdigest()


def folded(name: str) -> str:
    """A name or sentence for comparison: one space apart, no capitals, compatible characters alike."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def text_of(said: Said) -> str:
    """An observation as it is read, indexed and embedded: title, narrative and facts, a line each."""
    return whole_text(said.title, said.narrative, said.facts)


def token_count(text: str) -> int:
    """About how many tokens a model reads: four Latin characters each, 1.3 of scripts without spaces."""
    unspaced = count_unspaced(text)
    return math.ceil(unspaced / 1.3 + (len(text) - unspaced) / 4)


def clip(text: str, length_max: int) -> str:
    """Cut to a length, in NFC, so that the same words have the same hash."""
    return unicodedata.normalize("NFC", storable(text)).strip()[:length_max].strip()


def _check_times(new: NewObservation) -> None:
    for field, time_ms in (("observed_ms", new.observed_ms), ("expires_ms", new.expires_ms)):
        if time_ms is not None and not 0 < time_ms <= TIME_MS_MAX:
            raise InvalidInput(field, "must be epoch milliseconds before the year 10000")
