"""The values that the memory engine takes and gives; the wire's shapes are made from them at the border."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from beaver.schemas.gateway import Scope


@dataclass(frozen=True)
class NewUser:
    """A user and a key of theirs, in clear for this once."""

    user_id: str
    key: str


@dataclass(frozen=True)
class NewMessage:
    """One message as it was said. `observed_ms` is UTC epoch milliseconds by the caller's clock."""

    role: str
    speaker: str
    observed_ms: int
    content: str


@dataclass(frozen=True)
class AddedTurn:
    """What an add stored: the ids in the order of the messages. `duplicated`: it had been stored before."""

    message_ids: tuple[str, ...]
    duplicated: bool = False


@dataclass(frozen=True)
class NewDocument:
    """A document to store under its URI."""

    uri: str
    title: str
    content: str


@dataclass(frozen=True)
class StoredDocument:
    """A stored document: how many passages can be found, and whether it took the place of an older one."""

    passages: int
    replaced: bool


@dataclass(frozen=True)
class Question:
    """What a search looks for, and where. `session_id` is the Gateway session of the scope `current_chat`."""

    text: str
    session_id: str
    scopes: tuple[Scope, ...]
    limit: int


@dataclass(frozen=True)
class Found:
    """One memory that answers a question. `score` is in [0, 1] and compares within one search only; `why` is its breakdown."""

    id: str
    text: str
    score: float
    scope: Scope
    session_id: str | None
    uri: str | None
    why: Mapping[str, Any]
