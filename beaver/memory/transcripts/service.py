"""Adding turns."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from beaver.clock import Clock
from beaver.db.engine import Database
from beaver.db.group_commit import GroupCommit
from beaver.errors import BeaverError
from beaver.ids import IdSource
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import Namespace
from beaver.memory.records import SAID, AddedTurn, NewMessage, TurnOrigin
from beaver.memory.retrieval.chunking import IndexedSpan
from beaver.memory.transcripts.delivery import kept_messages
from beaver.memory.transcripts.turns import PreparedTurn, checked_messages, passages_of_turn
from beaver.memory.transcripts.writing import write_turns

TURNS_A_COMMIT_MAX: Final = 64
CHARACTERS_AT_ONCE_MAX: Final = 4_000
"""Up to here a thread costs more than it frees the event loop from."""


class TranscriptService:
    """What was said, kept verbatim."""

    def __init__(self, database: Database, clock: Clock, new_id: IdSource) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id
        # The more turns share a commit, the cheaper each: so one writer, and another that keeps what is large out of its way.
        self._writer = GroupCommit(database, write_turns, at_most=TURNS_A_COMMIT_MAX)
        self._writer_of_large = GroupCommit(database, write_turns, at_most=TURNS_A_COMMIT_MAX)

    async def add(
        self,
        namespace: Namespace,
        session_id: str,
        messages: Sequence[NewMessage],
        identity: RequestIdentity | None = None,
        origin: TurnOrigin = SAID,
    ) -> AddedTurn:
        """Store the messages as one turn, durable and findable on return; all of it or nothing.

        The same request again, or another turn of the same key, stores nothing and answers with the first one's ids and
        `duplicated`. Raises InvalidInput naming the field and the rule, Conflict for a known key with another request,
        NotFound without such a user.
        """
        kept = kept_messages(origin.delivery_status, checked_messages(session_id, messages))
        if not kept:
            return AddedTurn((), reason=origin.delivery_status)
        spans = await _passages(kept, namespace.user_id)
        turn = PreparedTurn(
            self._new_id("turn"), namespace, session_id, tuple(kept), spans, origin, identity, self._clock()
        )
        writer = self._writer_of_large if is_large(kept) else self._writer
        answer = await writer.ask(turn)
        if isinstance(answer, BeaverError):
            raise answer
        return answer


def is_large(messages: Sequence[NewMessage]) -> bool:
    """Whether they are made ready in a thread, so that a later add may overtake them."""
    return sum(len(message.content) for message in messages) > CHARACTERS_AT_ONCE_MAX


async def _passages(messages: Sequence[NewMessage], user_id: str) -> tuple[tuple[IndexedSpan, ...], ...]:
    if not is_large(messages):
        return passages_of_turn(messages, user_id)
    return await asyncio.to_thread(passages_of_turn, messages, user_id)
