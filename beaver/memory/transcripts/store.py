"""SQL of conversations, turns and messages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import Select, bindparam, insert, select, update

from beaver.db.dialect import SqlDialect, dialect_of
from beaver.db.engine import Transaction
from beaver.memory.tables import conversations, messages, turns
from beaver.memory.transcripts.episodes import Episode
from beaver.memory.transcripts.turns import PreparedTurn

_STATE: Final = (
    conversations.c.id,
    conversations.c.namespace_id,
    conversations.c.session_id,
    conversations.c.next_sequence,
    conversations.c.episode,
    conversations.c.episode_messages,
    conversations.c.last_observed_ms,
)
# Made once: to build a statement costs as much as to run it.
_NAMED: Final = select(conversations.c.id).where(
    conversations.c.namespace_id == bindparam("namespace"), conversations.c.session_id == bindparam("session")
)
_CONVERSATION_STATE: Final = ("next_sequence", "updated_ms", "episode", "episode_messages", "last_observed_ms")
# Made once: to build a statement costs as much as to run it.
_MOVED: Final = (
    update(conversations)
    .where(conversations.c.id == bindparam("conversation"))
    .values({name: bindparam(name) for name in _CONVERSATION_STATE})
)


async def find_conversation(tx: Transaction, namespace_id: int, session_id: str) -> int | None:
    """The conversation's number, or None when nothing was said in it yet."""
    found: int | None = await tx.scalar(_NAMED, {"namespace": namespace_id, "session": session_id})
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
    return (await ensure_conversations(tx, {(namespace_id, session_id): now_ms}))[namespace_id, session_id]


async def ensure_conversations(
    tx: Transaction, wanted: Mapping[tuple[int, str], int]
) -> dict[tuple[int, str], Conversation]:
    """ensure_conversation for many at once: by namespace and session, from when each would be made (UTC epoch ms)."""
    if not wanted:
        return {}
    dialect = dialect_of(tx)
    names = {
        "namespaces": dialect.many({namespace_id for namespace_id, _ in wanted}),
        "sessions": dialect.many({session_id for _, session_id in wanted}),
    }
    rows = list(await tx.execute(_known_conversations(dialect), names))
    missing = wanted.keys() - {(row.namespace_id, row.session_id) for row in rows}
    if missing:
        made = insert(conversations).returning(*_STATE)
        rows += await tx.execute(made, [_new_conversation(*place, wanted[place]) for place in sorted(missing)])
    found = {(row.namespace_id, row.session_id): row for row in rows}
    return {place: _conversation(found[place], now_ms) for place, now_ms in wanted.items()}


@cache
def _known_conversations(dialect: SqlDialect) -> Select[Any]:
    """Made once a dialect, for every add."""
    return select(*_STATE).where(
        dialect.is_one_of(conversations.c.namespace_id, "namespaces"),
        dialect.is_one_of(conversations.c.session_id, "sessions"),
    )


async def move_conversations(tx: Transaction, moved: Sequence[Conversation]) -> None:
    """Keep how far conversations have come."""
    if not moved:
        return
    await tx.execute(
        _MOVED,
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
    return (await find_all_committed(tx, [(conversation_id, turn_key)])).get((conversation_id, turn_key))


async def find_all_committed(
    tx: Transaction, wanted: Collection[tuple[int, str]]
) -> dict[tuple[int, str], tuple[str, ...]]:
    """find_committed for many at once, by conversation and name; those that there are, and perhaps more."""
    if not wanted:
        return {}
    dialect = dialect_of(tx)
    names = {
        "conversations": dialect.many({conversation_id for conversation_id, _ in wanted}),
        "turn_keys": dialect.many({turn_key for _, turn_key in wanted}),
    }
    found: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    for conversation_id, turn_key, message_id in await tx.execute(_committed(dialect), names):
        found[conversation_id, turn_key] += [message_id] if message_id is not None else []
    return {place: tuple(ids) for place, ids in found.items()}


@cache
def _committed(dialect: SqlDialect) -> Select[Any]:
    """Made once a dialect, for every add."""
    return (
        select(turns.c.conversation_id, turns.c.turn_key, messages.c.id)
        .outerjoin(messages, messages.c.turn_id == turns.c.id)
        .where(
            dialect.is_one_of(turns.c.conversation_id, "conversations"),
            dialect.is_one_of(turns.c.turn_key, "turn_keys"),
        )
        .order_by(messages.c.turn_id, messages.c.position)
    )


async def add_turns(tx: Transaction, rows: Sequence[TurnRow]) -> None:
    """Store staged turns with their messages."""
    if not rows:
        return
    await tx.execute(insert(turns), [_turn_values(row) for row in rows])
    await tx.execute(insert(messages), [values for row in rows for values in _message_values(row)])


def _new_conversation(namespace_id: int, session_id: str, now_ms: int) -> dict[str, Any]:
    return {
        "namespace_id": namespace_id,
        "session_id": session_id,
        "next_sequence": 1,
        "created_ms": now_ms,
        "updated_ms": now_ms,
    }


def _conversation(row: Any, now_ms: int) -> Conversation:
    return Conversation(
        row.id, row.next_sequence, Episode(row.episode, row.episode_messages, row.last_observed_ms), now_ms
    )


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
