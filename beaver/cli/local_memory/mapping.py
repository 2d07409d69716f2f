"""An item as an observation of the memory engine and back, pure; and whose namespace it lies in."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final, cast, get_args
from urllib.parse import quote

from beaver.agent.policy.stores import (
    ITEM_TYPES,
    TAG_CHARACTERS_MAX,
    TAGS_MAX,
    TEXT_CHARACTERS_MAX,
    ItemScope,
    ItemSource,
    ItemType,
    MemoryItem,
    NewItem,
    Owner,
)
from beaver.errors import InvalidInput
from beaver.memory.namespace import Namespace
from beaver.memory.observations.entries import FACT_LENGTH_MAX, FILE_LENGTH_MAX, TITLE_LENGTH_MAX
from beaver.memory.observations.records import NewObservation, Observation, ObservationType

_TYPES: Final[dict[ItemType, ObservationType]] = {
    "preference": "preference",
    "rule": "preference",
    "decision": "decision",
    "fact": "discovery",
    "fix": "technical",
    "todo": "task",
}
_MARK: Final = "beaver:"
"""Tags of our own begin so; a person's never do."""
SESSION_SCOPE: Final = f"{_MARK}scope=session"
"""The tag of an item that is recalled in its session alone."""
_GLOBAL: Final = "global"
_SESSION: Final = "session/"


def namespaces(owner: Owner) -> tuple[Namespace, Namespace]:
    """Where the owner's items lie: the project's, and those of every project.

    The engine's users are made of tenant and user, so that no two tenants share one.
    """
    user_id = engine_user(owner)
    return Namespace(owner.tenant, f"project/{owner.project}", user_id), Namespace(owner.tenant, _GLOBAL, user_id)


def engine_user(owner: Owner) -> str:
    """The engine's name for a user of a tenant."""
    return f"{quote(owner.tenant, safe='')}/{quote(owner.user, safe='')}"


def as_observation(new: NewItem, session: str) -> NewObservation:
    """What the engine stores. Raises InvalidInput for a field that breaks a rule."""
    title, facts = _parts(_checked(new))
    return NewObservation(
        type=_TYPES[new.type],
        title=title,
        narrative=new.text if facts else "",
        facts=facts,
        tags=tags_of(new),
        source=new.source if new.source == "person" else f"host_{new.source}",
        related_files=(session_place(session),) if session else (),
        expires_ms=new.expires_ms,
    )


def session_place(session: str) -> str:
    """How the session is noted in which an item was learned: the engine's own sessions are those it holds messages of."""
    return f"{_SESSION}{session_name(session)}"


def session_name(session: str) -> str:
    """The session's id, or its digest where the engine would cut it."""
    long = len(_SESSION) + len(session) > FILE_LENGTH_MAX
    return hashlib.sha256(session.encode()).hexdigest() if long else session


def tags_of(new: NewItem) -> tuple[str, ...]:
    """The item's tags, and what the engine has no field for."""
    marks = {"type": new.type, "scope": new.scope, "confidence": f"{new.confidence:.2f}"}
    return (*(f"{_MARK}{name}={value}" for name, value in marks.items()), *dict.fromkeys(new.tags))


def as_item(observation: Observation) -> MemoryItem:
    """What the engine stored. What was written by another program has the usual type, scope and confidence."""
    marks = dict(tag.removeprefix(_MARK).split("=", 1) for tag in observation.tags if tag.startswith(_MARK))
    return MemoryItem(
        id=observation.id,
        type=cast(ItemType, marks.get("type", "fact")),
        text=observation.narrative or " ".join((observation.title, *observation.facts)),
        scope=cast(ItemScope, marks.get("scope", "project")),
        tags=tuple(tag for tag in observation.tags if not tag.startswith(_MARK)),
        pinned=observation.pinned,
        confidence=float(marks.get("confidence", "1")),
        created_at=observation.created_ms,
        session=next((_session(place) for place in observation.related_files), None),
        source=_source(observation.source),
        updated_at=observation.updated_ms,
        expires_at=observation.expires_ms,
    )


def again(observation: Observation) -> NewObservation:
    """The same once more, which the engine counts as a mention."""
    kept: dict[str, Any] = {
        name: getattr(observation, name)
        for name in ("type", "title", "narrative", "facts", "tags", "related_files", "source")
    }
    return NewObservation(**kept)


def _checked(new: NewItem) -> str:
    text = new.text
    if not text.strip() or len(text) > TEXT_CHARACTERS_MAX or "\n" in text:
        raise InvalidInput("text", f"must be one line of 1 to {TEXT_CHARACTERS_MAX} characters")
    if new.type not in ITEM_TYPES:
        raise InvalidInput("type", f"must be one of {', '.join(ITEM_TYPES)}")
    if new.scope not in get_args(ItemScope):
        raise InvalidInput("scope", "must be session, project or global")
    if not 0 <= new.confidence <= 1:
        raise InvalidInput("confidence", "must be from 0 to 1")
    if len(new.tags) > TAGS_MAX or any(not _is_tag(tag) for tag in new.tags):
        raise InvalidInput(
            "tags", f"must be at most {TAGS_MAX}, of 1 to {TAG_CHARACTERS_MAX} characters, none with {_MARK}"
        )
    return text


def _is_tag(tag: str) -> bool:
    return 0 < len(tag) <= TAG_CHARACTERS_MAX and tag == tag.strip() and not tag.startswith(_MARK)


def _parts(text: str) -> tuple[str, tuple[str, ...]]:
    """A title and facts that together hold every word: what the engine compares texts by."""
    if len(text) <= TITLE_LENGTH_MAX:
        return text, ()
    title, rest = _cut(text, TITLE_LENGTH_MAX)
    facts: list[str] = []
    while rest:
        fact, rest = _cut(rest, FACT_LENGTH_MAX)
        facts.append(fact)
    return title, tuple(facts)


def _cut(text: str, length_max: int) -> tuple[str, str]:
    """At the last space that fits, or in the middle of a word that is too long."""
    if len(text) <= length_max:
        return text, ""
    at = text.rfind(" ", 1, length_max + 1)
    return (text[:at], text[at + 1 :]) if at > 0 else (text[:length_max], text[length_max:])


def _session(place: str) -> str:
    return place.removeprefix(_SESSION)


def _source(source: str) -> ItemSource:
    known: Sequence[str] = get_args(ItemSource)
    name = source.removeprefix("host_")
    return cast(ItemSource, name) if name in known else "person"
