"""The values that the memory engine takes and gives; the wire's shapes are made from them at the border."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

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


DeliveryStatus = Literal[
    "delivered", "user_only", "upstream_failed", "cancelled", "incomplete_stream", "rejected_by_policy"
]
"""What became of a turn's answer: it reached the user; there was none to keep; or nothing of the turn counts."""


@dataclass(frozen=True)
class TurnOrigin:
    """Where a turn comes from.

    `turn_key`: the caller's own name for the turn within its conversation; the same again stores nothing. `actor`: who took
    part beside the messages' speakers, each under a name of its own (`subject`, `agent`, `trigger`, …), never merged.
    """

    turn_key: str | None = None
    delivery_status: DeliveryStatus = "delivered"
    source: str = "gateway_add"
    actor: Mapping[str, str] = field(default_factory=dict)


SAID: Final = TurnOrigin()
"""A turn of which nothing is known but its messages."""


@dataclass(frozen=True)
class AddedTurn:
    """What an add stored: the ids in the order of the messages. `duplicated`: it had been stored before.

    `reason` says why nothing was stored, where that needs saying.
    """

    message_ids: tuple[str, ...]
    duplicated: bool = False
    reason: str | None = None


@dataclass(frozen=True)
class NewDocument:
    """A document to store under its URI."""

    uri: str
    title: str
    content: str


@dataclass(frozen=True)
class StoredDocument:
    """A stored document: how many passages can be found, and whether it took the place of an older one.

    `unchanged`: it was there already, word for word, so that nothing was written.
    """

    passages: int
    replaced: bool
    unchanged: bool = False


@dataclass(frozen=True)
class Question:
    """What a search looks for, and where. `session_id` is the Gateway session of the scope `current_chat`."""

    text: str
    session_id: str
    scopes: tuple[Scope, ...]
    limit: int


@dataclass(frozen=True)
class Found:
    """One memory that answers a question. `score` is in [0, 1] and compares within one search only; `why` is its breakdown.

    `learned`: the observations that it is or stands for.
    """

    id: str
    text: str
    score: float
    scope: Scope
    session_id: str | None
    uri: str | None
    why: Mapping[str, Any]
    learned: tuple[str, ...] = ()
