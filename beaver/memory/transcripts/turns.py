"""A turn made ready to be stored, pure: checked, cut into passages, with the ids that it will have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from beaver.errors import InvalidInput
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import Namespace, validate_name
from beaver.memory.records import NewMessage, TurnOrigin
from beaver.memory.retrieval.chunking import IndexedSpan, indexed_spans
from beaver.memory.stored_text import storable
from beaver.schemas.gateway import ASSISTANT_SENDER

OBSERVED_MS_MAX: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""
TURN_MESSAGES_MAX: Final = 1000
"""Above what the wire allows in one add: a message's place in its conversation is its turn's sequence times this, and its own."""
MESSAGE_CHARACTERS_MAX: Final = 2_000_000


@dataclass(frozen=True)
class PreparedTurn:
    """What is written of a turn. `spans`: the passages of each message. `now_ms`: when it was taken in, UTC epoch ms."""

    id: str
    namespace: Namespace
    session_id: str
    messages: tuple[NewMessage, ...]
    spans: tuple[tuple[IndexedSpan, ...], ...]
    origin: TurnOrigin
    identity: RequestIdentity | None
    now_ms: int

    @property
    def message_ids(self) -> tuple[str, ...]:
        """In the order of the messages; each holds the turn's id."""
        return tuple(f"{self.id}.{position}" for position in range(len(self.messages)))


def checked_messages(session_id: str, messages: Sequence[NewMessage]) -> list[NewMessage]:
    """The messages as they can be stored. Raises InvalidInput naming the field and the rule."""
    validate_name(session_id, "session_id")
    if not 0 < len(messages) <= TURN_MESSAGES_MAX:
        raise InvalidInput("messages", f"must hold 1 to {TURN_MESSAGES_MAX} messages")
    for number, message in enumerate(messages):
        _check(message, f"messages.{number}")
    return [replace(message, content=storable(message.content)) for message in messages]


def passages_of_turn(messages: Sequence[NewMessage], user_id: str) -> tuple[tuple[IndexedSpan, ...], ...]:
    """Found by the speaker's name too, unless every conversation of the user has that speaker. Slow for long texts."""
    everywhere = {user_id, ASSISTANT_SENDER}
    return tuple(
        tuple(
            indexed_spans(
                message.content,
                "" if message.speaker in everywhere else message.speaker,
                observed_ms=message.observed_ms,
            )
        )
        for message in messages
    )


def _check(message: NewMessage, field: str) -> None:
    validate_name(message.speaker, f"{field}.sender_id")
    if not 0 < message.observed_ms <= OBSERVED_MS_MAX:
        raise InvalidInput(f"{field}.timestamp", "must be epoch milliseconds before the year 10000")
    if not message.content.strip():
        raise InvalidInput(f"{field}.content", "must not be blank")
    if len(message.content) > MESSAGE_CHARACTERS_MAX:
        raise InvalidInput(f"{field}.content", f"must be at most {MESSAGE_CHARACTERS_MAX} characters")
