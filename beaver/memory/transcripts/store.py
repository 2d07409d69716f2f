"""SQL of conversations, turns and messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import bindparam, insert, select, update

from beaver.db.engine import Transaction
from beaver.memory.tables import conversations, messages, turns
from beaver.memory.transcripts.episodes import Episode
from beaver.memory.transcripts.turns import PreparedTurn

_CONVERSATION_STATE: Final = ("next_sequence", "updated_ms", "episode", "episode_messages", "last_observed_ms")


async def find_conversation(tx: Transaction, namespace_id: int, session_id: str) -> int | None:
    """The conversation's number, or None when nothing was said in it yet."""
    found: int | None = await tx.scalar(
        select(conversations.c.id).where(
            conversations.c.namespace_id == namespace_id, conversations.c.session_id == session_id
        )
    )
    return found


@dataclass(frozen=True)
class Conversation:
    """A conversation's number, the sequence its next turn gets, the episode it is in, and when it was last added to."""

    id: int
    next_sequence: int
    episode: Episode
    updated_ms: int

    def followed(self, episode: Episode, now_ms: int) -> Conversation:
        """The conversation after one more turn, which ends in `episode`."""
        return Conversation(self.id, self.next_sequence + 1, episode, now_ms)


@dataclass(frozen=True)
class TurnRow:
    """A turn in its place."""

    namespace_id: int
    conversation_id: int
    sequence: int
    turn: PreparedTurn


async def ensure_conversation(tx: Transaction, namespace_id: int, session_id: str, now_ms: int) -> Conversation:
    """The conversation, made if it is new. The caller has the namespace's turn to write, so nobody else makes it."""
    columns = conversations.c
    state = (columns.id, columns.next_sequence, columns.episode, columns.episode_messages, columns.last_observed_ms)
    known = select(*state).where(columns.namespace_id == namespace_id, columns.session_id == session_id)
    row = (await tx.execute(known)).one_or_none()
    if row is None:
        made = insert(conversations).values(
            namespace_id=namespace_id, session_id=session_id, next_sequence=1, created_ms=now_ms, updated_ms=now_ms
        )
        row = (await tx.execute(made.returning(*state))).one()
    return Conversation(row[0], row[1], Episode(row[2], row[3], row[4]), now_ms)


async def move_conversations(tx: Transaction, moved: Sequence[Conversation]) -> None:
    """Keep how far conversations have come."""
    if not moved:
        return
    statement = (
        update(conversations)
        .where(conversations.c.id == bindparam("conversation"))
        .values({name: bindparam(name) for name in _CONVERSATION_STATE})
    )
    await tx.execute(
        statement,
        [
            {
                "conversation": one.id,
                "next_sequence": one.next_sequence,
                "updated_ms": one.updated_ms,
                "episode": one.episode.number,
                "episode_messages": one.episode.messages,
                "last_observed_ms": one.episode.last_observed_ms,
            }
            for one in moved
        ],
    )


async def find_committed(tx: Transaction, conversation_id: int, turn_key: str) -> tuple[str, ...] | None:
    """The ids of the messages of the turn that its caller named so, in order; None when there is no such turn."""
    known = select(turns.c.id).where(turns.c.conversation_id == conversation_id, turns.c.turn_key == turn_key)
    turn_id = await tx.scalar(known)
    if turn_id is None:
        return None
    mine = select(messages.c.id).where(messages.c.turn_id == turn_id).order_by(messages.c.position)
    return tuple(await tx.scalars(mine))


async def add_turns(tx: Transaction, rows: Sequence[TurnRow]) -> None:
    """Store staged turns with their messages."""
    if not rows:
        return
    await tx.execute(insert(turns), [_turn_values(row) for row in rows])
    await tx.execute(insert(messages), [values for row in rows for values in _message_values(row)])


def _turn_values(row: TurnRow) -> dict[str, Any]:
    origin = row.turn.origin
    return {
        "id": row.turn.id,
        "namespace_id": row.namespace_id,
        "conversation_id": row.conversation_id,
        "sequence": row.sequence,
        "turn_key": origin.turn_key,
        "delivery_status": origin.delivery_status,
        "source": origin.source,
        "actor": dict(origin.actor),
        "created_ms": row.turn.now_ms,
    }


def _message_values(row: TurnRow) -> list[dict[str, Any]]:
    return [
        {
            "id": message_id,
            "namespace_id": row.namespace_id,
            "turn_id": row.turn.id,
            "position": position,
            "role": message.role,
            "speaker": message.speaker,
            "content": message.content,
            "observed_ms": message.observed_ms,
        }
        for position, (message_id, message) in enumerate(zip(row.turn.message_ids, row.turn.messages, strict=True))
    ]
