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
from beaver.memory.retrieval.store import NewPassage, add_passages_of
from beaver.memory.transcripts import store
from beaver.memory.transcripts.turns import TURN_MESSAGES_MAX, PreparedTurn
from beaver.memory.users.store import ensure_namespaces

ALREADY_COMMITTED = "turn_already_committed"


@dataclass
class _Group:
    """What one transaction is about to write, and what it has answered so far, by the ids of the turns."""

    namespaces: dict[Namespace, int]
    conversations: dict[tuple[int, str], store.Conversation] = field(default_factory=dict)
    turns: list[store.TurnRow] = field(default_factory=list)
    passages: defaultdict[int, list[NewPassage]] = field(default_factory=lambda: defaultdict(list))
    answers: dict[str, AddedTurn | BeaverError] = field(default_factory=dict)

    def place(self, turn: PreparedTurn) -> tuple[int, str]:
        """The conversation of a turn, as it is named."""
        return self.namespaces[turn.namespace], turn.session_id


async def write_turns(tx: Transaction, asked: Sequence[PreparedTurn]) -> list[AddedTurn | BeaverError]:
    """What came of each, in order: stored, known already, or why it cannot be. Turns of one namespace keep their order.

    As many statements for many turns as for one: each is a trip to the database.
    """
    now_ms = max(turn.now_ms for turn in asked)
    group = _Group(await ensure_namespaces(tx, {turn.namespace for turn in asked}, now_ms))
    for turn in await _new_ones(tx, group, _of_known_users(group, asked)):
        _append(group, turn)
    moved = dict.fromkeys(group.place(row.turn) for row in group.turns)
    await store.move_conversations(tx, [group.conversations[place] for place in moved])
    await store.add_turns(tx, group.turns)
    await add_passages_of(tx, group.passages)
    return [group.answers[turn.id] for turn in asked]


def _of_known_users(group: _Group, asked: Sequence[PreparedTurn]) -> list[PreparedTurn]:
    for turn in asked:
        if turn.namespace not in group.namespaces:
            group.answers[turn.id] = NotFound("there is no such user")
    return [turn for turn in asked if turn.id not in group.answers]


async def _new_ones(tx: Transaction, group: _Group, asked: Sequence[PreparedTurn]) -> list[PreparedTurn]:
    """Those that were not stored before, by their requests' receipts and by the names that their callers gave them."""
    claimed = await _claim(tx, group, asked)
    group.conversations = await store.ensure_conversations(tx, {group.place(turn): turn.now_ms for turn in claimed})
    named = {turn.id: name for turn in claimed if (name := _name(group, turn)) is not None}
    known = await store.find_all_committed(tx, set(named.values()))
    new = []
    for turn in claimed:
        name = named.get(turn.id)
        if name is not None and name in known:
            # The receipt, claimed already, is of that other turn's messages.
            await receipts.amend_receipt(tx, turn.identity, {"message_ids": known[name]})
            group.answers[turn.id] = AddedTurn(known[name], duplicated=True, reason=ALREADY_COMMITTED)
            continue
        new.append(turn)
        if name is not None:
            known[name] = turn.message_ids
    return new


def _name(group: _Group, turn: PreparedTurn) -> tuple[int, str] | None:
    """The conversation and the name that the caller gave the turn in it."""
    key = turn.origin.turn_key
    return None if key is None else (group.conversations[group.place(turn)].id, key)


async def _claim(tx: Transaction, group: _Group, asked: Sequence[PreparedTurn]) -> list[PreparedTurn]:
    repeatable = [(turn, turn.identity) for turn in asked if turn.identity is not None]
    claims = [receipts.Claim(identity, {"message_ids": turn.message_ids}, turn.now_ms) for turn, identity in repeatable]
    for (turn, _), known in zip(repeatable, await receipts.claim_receipts(tx, claims), strict=True):
        if isinstance(known, Conflict):
            group.answers[turn.id] = known
        elif known is not None:
            group.answers[turn.id] = AddedTurn(tuple(known["message_ids"]), duplicated=True)
    return [turn for turn in asked if turn.id not in group.answers]


def _append(group: _Group, turn: PreparedTurn) -> None:
    namespace_id, _ = place = group.place(turn)
    conversation = group.conversations[place]
    group.turns.append(store.TurnRow(namespace_id, conversation.id, conversation.next_sequence, turn))
    first = conversation.next_sequence * TURN_MESSAGES_MAX
    episode = conversation.episode
    for number, (message_id, message, spans) in enumerate(
        zip(turn.message_ids, turn.messages, turn.spans, strict=True)
    ):
        episode = episode.after(message.observed_ms)
        group.passages[namespace_id] += [
            NewPassage(
                indexed=indexed,
                position=position,
                observed_ms=message.observed_ms,
                conversation_id=conversation.id,
                message_id=message_id,
                ordinal=first + number,
                episode=episode.number,
            )
            for position, indexed in enumerate(spans)
        ]
    group.conversations[place] = conversation.followed(episode, turn.now_ms)
    group.answers[turn.id] = AddedTurn(turn.message_ids)
