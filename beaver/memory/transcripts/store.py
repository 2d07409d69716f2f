"""SQL of conversations, turns and messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, insert, select, update

from beaver.db.engine import Transaction
from beaver.memory.records import NewMessage
from beaver.memory.tables import conversations, messages, turns
from beaver.memory.transcripts.episodes import Episode


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
    """A conversation's number, the sequence its next turn gets, and the episode it is in."""

    id: int
    next_sequence: int
    episode: Episode


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
    return Conversation(row[0], row[1], Episode(row[2], row[3], row[4]))


async def add_turn(
    tx: Transaction, namespace_id: int, conversation: Conversation, turn_id: str, episode: Episode, now_ms: int
) -> None:
    """Store a staged turn behind the conversation's last one, which ends in `episode`."""
    following = (
        update(conversations)
        .where(conversations.c.namespace_id == namespace_id, conversations.c.id == conversation.id)
        .values(
            next_sequence=conversation.next_sequence + 1,
            updated_ms=now_ms,
            episode=episode.number,
            episode_messages=episode.messages,
            last_observed_ms=episode.last_observed_ms,
        )
    )
    await tx.execute(following)
    await tx.execute(
        insert(turns).values(
            id=turn_id,
            namespace_id=namespace_id,
            conversation_id=conversation.id,
            sequence=conversation.next_sequence,
            delivery_status="delivered",
            source="gateway_add",
            created_ms=now_ms,
        )
    )


async def add_messages(tx: Transaction, namespace_id: int, turn_id: str, new: Sequence[NewMessage]) -> list[str]:
    """Store a turn's messages; returns their ids in the same order."""
    ids = [f"{turn_id}.{position}" for position in range(len(new))]
    rows = [
        {
            "id": message_id,
            "namespace_id": namespace_id,
            "turn_id": turn_id,
            "position": position,
            "role": message.role,
            "speaker": message.speaker,
            "content": message.content,
            "observed_ms": message.observed_ms,
        }
        for position, (message_id, message) in enumerate(zip(ids, new, strict=True))
    ]
    await tx.execute(insert(messages), rows)
    return ids


async def flush_turns(tx: Transaction, namespace_id: int, conversation_id: int, now_ms: int) -> int:
    """Mark the conversation's staged turns as flushed; returns how many messages they hold."""
    staged = (
        (turns.c.namespace_id == namespace_id)
        & (turns.c.conversation_id == conversation_id)
        & turns.c.flushed_ms.is_(None)
    )
    count = select(func.count()).select_from(messages.join(turns, turns.c.id == messages.c.turn_id)).where(staged)
    waiting = await tx.scalar(count) or 0
    await tx.execute(update(turns).where(staged).values(flushed_ms=now_ms))
    return waiting
