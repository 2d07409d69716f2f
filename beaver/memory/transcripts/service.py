"""Adding turns and flushing sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import Final

from beaver.clock import Clock
from beaver.db.engine import Database
from beaver.errors import InvalidInput
from beaver.ids import IdSource
from beaver.memory.idempotency import store as receipts
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import Namespace, validate_name
from beaver.memory.records import AddedTurn, NewMessage
from beaver.memory.retrieval.chunking import IndexedSpan, indexed_spans
from beaver.memory.retrieval.store import NewPassage, add_passages
from beaver.memory.stored_text import storable
from beaver.memory.transcripts import store
from beaver.memory.transcripts.episodes import Episode
from beaver.memory.users.store import ensure_namespace, find_namespace
from beaver.schemas.gateway import ASSISTANT_SENDER

OBSERVED_MS_MAX: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""
TURN_MESSAGES_MAX: Final = 1000
"""Above what the wire allows in one add: a message's place in its conversation is its turn's sequence times this, and its own."""


class TranscriptService:
    """What was said, kept verbatim."""

    def __init__(self, database: Database, clock: Clock, new_id: IdSource) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id

    async def add(
        self,
        namespace: Namespace,
        session_id: str,
        messages: Sequence[NewMessage],
        identity: RequestIdentity | None = None,
    ) -> AddedTurn:
        """Store the messages as one turn, durable and findable on return; all of it or nothing.

        The same request again stores nothing and answers the first receipt with `duplicated`. Raises InvalidInput
        for a session id or a time that breaks a rule, Conflict for a known key with another request.
        """
        kept = _checked(session_id, messages)
        spans = await asyncio.to_thread(_indexed, kept, namespace.user_id)
        now_ms, turn_id = self._clock(), self._new_id("turn")
        async with self._database.write() as tx:
            known = await receipts.find_receipt(tx, identity)
            if known is not None:
                return AddedTurn(tuple(known["message_ids"]), duplicated=True)
            namespace_id = await ensure_namespace(tx, namespace, now_ms)
            conversation = await store.ensure_conversation(tx, namespace_id, session_id, now_ms)
            places = _places(conversation, kept)
            await store.add_turn(tx, namespace_id, conversation, turn_id, places[-1].episode, now_ms)
            ids = await store.add_messages(tx, namespace_id, turn_id, kept)
            await add_passages(tx, namespace_id, _passages(conversation.id, ids, kept, spans, places))
            await receipts.record_receipt(tx, identity, {"message_ids": ids}, now_ms)
        return AddedTurn(tuple(ids))

    async def flush(self, namespace: Namespace, session_id: str) -> int:
        """Close the session's staged turns; returns how many messages had waited, 0 the second time."""
        validate_name(session_id, "session_id")
        async with self._database.write() as tx:
            namespace_id = await find_namespace(tx, namespace)
            if namespace_id is None:
                return 0
            conversation_id = await store.find_conversation(tx, namespace_id, session_id)
            if conversation_id is None:
                return 0
            return await store.flush_turns(tx, namespace_id, conversation_id, self._clock())


def _checked(session_id: str, messages: Sequence[NewMessage]) -> list[NewMessage]:
    """The messages as they can be stored. Raises InvalidInput naming the field."""
    validate_name(session_id, "session_id")
    for number, message in enumerate(messages):
        validate_name(message.speaker, f"messages.{number}.sender_id")
        if not 0 < message.observed_ms <= OBSERVED_MS_MAX:
            raise InvalidInput(f"messages.{number}.timestamp", "must be epoch milliseconds before the year 10000")
    return [replace(message, content=storable(message.content)) for message in messages]


def _indexed(messages: Sequence[NewMessage], user_id: str) -> list[list[IndexedSpan]]:
    """Found by the speaker's name too, unless every conversation of the user has that speaker."""
    everywhere = {user_id, ASSISTANT_SENDER}
    return [
        indexed_spans(message.content, "" if message.speaker in everywhere else message.speaker) for message in messages
    ]


@dataclass(frozen=True)
class _Place:
    """Where a message stands in its conversation."""

    ordinal: int
    episode: Episode


def _places(conversation: store.Conversation, messages: Sequence[NewMessage]) -> list[_Place]:
    first = conversation.next_sequence * TURN_MESSAGES_MAX
    episodes = accumulate(
        (message.observed_ms for message in messages),
        lambda episode, ms: episode.after(ms),
        initial=conversation.episode,
    )
    return [_Place(first + position, episode) for position, episode in enumerate(islice(episodes, 1, None))]


def _passages(
    conversation_id: int,
    message_ids: Sequence[str],
    messages: Sequence[NewMessage],
    spans: Sequence[Sequence[IndexedSpan]],
    places: Sequence[_Place],
) -> list[NewPassage]:
    return [
        NewPassage(
            indexed=indexed,
            position=position,
            observed_ms=message.observed_ms,
            conversation_id=conversation_id,
            message_id=message_id,
            ordinal=place.ordinal,
            episode=place.episode.number,
        )
        for message_id, message, spans_of_one, place in zip(message_ids, messages, spans, places, strict=True)
        for position, indexed in enumerate(spans_of_one)
    ]
