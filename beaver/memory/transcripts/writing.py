"""Turns into the database, many in one transaction: what they share (a namespace's turn to write, a statement) is done once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from beaver.db.engine import Transaction
from beaver.errors import BeaverError, Conflict, NotFound
from beaver.memory.idempotency import store as receipts
from beaver.memory.namespace import Namespace
from beaver.memory.records import AddedTurn
from beaver.memory.retrieval.store import NewPassage, add_passages
from beaver.memory.transcripts import store
from beaver.memory.transcripts.turns import TURN_MESSAGES_MAX, PreparedTurn
from beaver.memory.users.store import ensure_namespace

ALREADY_COMMITTED = "turn_already_committed"


@dataclass
class _Group:
    """What one transaction is about to write."""

    namespaces: dict[Namespace, int] = field(default_factory=dict)
    conversations: dict[tuple[int, str], store.Conversation] = field(default_factory=dict)
    turns: list[store.TurnRow] = field(default_factory=list)
    passages: defaultdict[int, list[NewPassage]] = field(default_factory=lambda: defaultdict(list))


async def write_turns(tx: Transaction, asked: Sequence[PreparedTurn]) -> list[AddedTurn | BeaverError]:
    """What came of each, in order: stored, known already, or why it cannot be. Turns of one namespace keep their order.

    Namespaces are taken in one order by everybody, so that two processes never wait for each other.
    """
    group, answers = _Group(), dict[str, AddedTurn | BeaverError]()
    for turn in sorted(asked, key=lambda one: _in_line(one.namespace)):
        try:
            answers[turn.id] = await _take_in(tx, group, turn)
        except (Conflict, NotFound) as error:  # nothing of this turn is written yet
            answers[turn.id] = error
    await store.move_conversations(tx, list(group.conversations.values()))
    await store.add_turns(tx, group.turns)
    for namespace_id, passages in group.passages.items():
        await add_passages(tx, namespace_id, passages)
    return [answers[turn.id] for turn in asked]


def _in_line(namespace: Namespace) -> tuple[str, str, str]:
    return namespace.user_id, namespace.app_id, namespace.project_id


async def _take_in(tx: Transaction, group: _Group, turn: PreparedTurn) -> AddedTurn:
    namespace_id = group.namespaces.get(turn.namespace)
    if namespace_id is None:
        namespace_id = await ensure_namespace(tx, turn.namespace, turn.now_ms)
        group.namespaces[turn.namespace] = namespace_id
    known = await receipts.claim_receipt(tx, turn.identity, {"message_ids": turn.message_ids}, turn.now_ms)
    if known is not None:
        return AddedTurn(tuple(known["message_ids"]), duplicated=True)
    conversation = await _conversation(tx, group, namespace_id, turn)
    committed = await _committed(tx, group, conversation, turn.origin.turn_key)
    if committed is not None:
        return AddedTurn(committed, duplicated=True, reason=ALREADY_COMMITTED)
    _append(group, namespace_id, conversation, turn)
    return AddedTurn(turn.message_ids)


async def _conversation(tx: Transaction, group: _Group, namespace_id: int, turn: PreparedTurn) -> store.Conversation:
    known = group.conversations.get((namespace_id, turn.session_id))
    return known or await store.ensure_conversation(tx, namespace_id, turn.session_id, turn.now_ms)


async def _committed(
    tx: Transaction, group: _Group, conversation: store.Conversation, turn_key: str | None
) -> tuple[str, ...] | None:
    """The messages of the turn that the caller named so before."""
    if turn_key is None:
        return None
    for row in group.turns:
        if (row.conversation_id, row.turn.origin.turn_key) == (conversation.id, turn_key):
            return row.turn.message_ids
    return await store.find_committed(tx, conversation.id, turn_key)


def _append(group: _Group, namespace_id: int, conversation: store.Conversation, turn: PreparedTurn) -> None:
    group.turns.append(store.TurnRow(namespace_id, conversation.id, conversation.next_sequence, turn))
    first = conversation.next_sequence * TURN_MESSAGES_MAX
    episode = conversation.episode
    for position, (message_id, message, spans) in enumerate(
        zip(turn.message_ids, turn.messages, turn.spans, strict=True)
    ):
        episode = episode.after(message.observed_ms)
        group.passages[namespace_id] += [
            NewPassage(
                indexed=indexed,
                position=place,
                observed_ms=message.observed_ms,
                conversation_id=conversation.id,
                message_id=message_id,
                ordinal=first + position,
                episode=episode.number,
            )
            for place, indexed in enumerate(spans)
        ]
    group.conversations[namespace_id, turn.session_id] = conversation.followed(episode, turn.now_ms)
