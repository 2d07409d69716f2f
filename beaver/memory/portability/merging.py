"""What of a page of lines a namespace does not have yet: known things stay as they are, forgotten ones stay out."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from beaver.db.engine import Transaction
from beaver.memory.forgetting.tombstones import message_hash, resource_hash
from beaver.memory.observations.entries import content_hash, fact_hash
from beaver.memory.observations.history_store import find_tombstones
from beaver.memory.portability import store
from beaver.memory.portability.kinds import (
    ARCHIVED,
    CONVERSATION,
    DOCUMENT,
    HISTORY,
    OBSERVATION,
    TURN,
    Fields,
)
from beaver.memory.portability.known import unknown_lines
from beaver.memory.portability.lines import Record
from beaver.memory.transcripts.episodes import Episode
from beaver.memory.transcripts.store import Conversation, ensure_conversations, move_conversations
from beaver.memory.transcripts.turns import TURN_MESSAGES_MAX


@dataclass(frozen=True)
class Merged:
    """How many lines were new, known already, or left out because they were forgotten here."""

    changed: int = 0
    unchanged: int = 0
    left_out: int = 0

    def __add__(self, other: Merged) -> Merged:
        return Merged(self.changed + other.changed, self.unchanged + other.unchanged, self.left_out + other.left_out)


KNOWN = Merged(unchanged=1)
FORGOTTEN = Merged(left_out=1)
NEW = Merged(changed=1)


async def new_lines(tx: Transaction, namespace_id: int, page: Sequence[Record]) -> tuple[list[Record], Merged]:
    """The lines to write, and what became of all of them. The caller has the namespace's turn to write."""
    fresh = await unknown_lines(tx, namespace_id, page)
    total = Merged(unchanged=len(page) - len(fresh))
    begun = _first_of_each([record for record in fresh if record.kind is CONVERSATION])
    await store.insert_rows(tx, CONVERSATION, [_as_begun(namespace_id, record) for record in begun])
    fresh = [record for record in fresh if record.kind is not CONVERSATION]
    hashes = {one for record in fresh for one in _hashes(record)}
    forgotten = await find_tombstones(tx, namespace_id, hashes) if hashes else set()
    remembered = [_remembered(record, forgotten) for record in fresh]
    total += sum((outcome for _, outcome in remembered), Merged(changed=len(begun)))
    kept = [record for record, _ in remembered if record is not None]
    return await _in_their_places(tx, namespace_id, kept), total


def _first_of_each(some: Sequence[Record]) -> list[Record]:
    """Conversations, without one that stands twice in the file."""
    return list({record.fields["session_id"]: record for record in reversed(some)}.values())[::-1]


def _as_begun(namespace_id: int, record: Record) -> Fields:
    """Its turns are numbered as they come: some may be left out."""
    fields = record.fields | {"next_sequence": 1, "episode": 0, "episode_messages": 0, "last_observed_ms": None}
    return {"namespace_id": namespace_id} | {name: fields[name] for name in CONVERSATION.columns}


def _remembered(record: Record, forgotten: Set[str]) -> tuple[Record | None, Merged]:
    """What of a line was not forgotten."""
    hashes = _hashes(record)
    if record.kind is not TURN:
        is_forgotten = hashes and (hashes[0] in forgotten or (len(hashes) > 1 and set(hashes[1:]) <= forgotten))
        return (None, FORGOTTEN) if is_forgotten else (record, NEW)
    held = [one for one, hash_ in zip(record.fields["messages"], hashes, strict=True) if hash_ not in forgotten]
    if hashes and not held:
        return None, FORGOTTEN
    left_out = Merged(left_out=len(hashes) - len(held))
    return replace(record, fields=record.fields | {"messages": held}), NEW + left_out


async def _in_their_places(tx: Transaction, namespace_id: int, some: Sequence[Record]) -> list[Record]:
    """The lines with turns behind those that their conversations have; conversations that are not there yet are made."""
    began = {
        (namespace_id, record.fields["session_id"]): record.fields["created_ms"]
        for record in reversed(some)
        if record.kind.in_session and record.fields.get("session_id")
    }
    places = await ensure_conversations(tx, began)
    placed, moved = [], {}
    for record in some:
        if record.kind is not TURN:
            placed.append(record)
            continue
        place = namespace_id, record.fields["session_id"]
        turn, places[place] = _behind(places[place], record)
        placed.append(turn)
        moved[place] = places[place]
    await move_conversations(tx, list(moved.values()))
    return placed


def _behind(conversation: Conversation, record: Record) -> tuple[Record, Conversation]:
    """The turn as the conversation's next, and the conversation after it."""
    episode = conversation.episode
    messages = []
    for message in record.fields["messages"]:
        episode = episode.after(message["observed_ms"])
        messages.append({**message, "passage": _place(conversation, episode, message)})
    fields = record.fields | {"sequence": conversation.next_sequence, "messages": messages}
    return replace(record, fields=fields), conversation.followed(episode, record.fields["created_ms"])


def _place(conversation: Conversation, episode: Episode, message: Fields) -> Fields:
    ordinal = conversation.next_sequence * TURN_MESSAGES_MAX + message["position"]
    return {"observed_ms": message["observed_ms"], "episode": episode.number, "ordinal": ordinal}


def _hashes(record: Record) -> list[str]:
    """Of a turn, those of its messages; else that of the whole first, then of its facts."""
    fields = record.fields
    if record.kind is TURN:
        return [
            message_hash(fields["session_id"], message["speaker"], message["observed_ms"], message["content"])
            for message in fields["messages"]
        ]
    if record.kind is DOCUMENT:
        return [resource_hash(fields["uri"], fields["content"])]
    said = fields
    if record.kind is HISTORY:
        said = fields.get("after") or fields.get("before") or {}
    elif record.kind is ARCHIVED:
        said = fields["observation"]
    elif record.kind is not OBSERVATION:
        return []
    title, facts = said.get("title"), said.get("facts") or []
    return [content_hash(str(title), facts), *map(fact_hash, facts)] if title else []
