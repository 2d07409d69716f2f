"""What of a page of lines a namespace does not have yet: known things stay as they are, forgotten ones stay out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from beaver.db.engine import Transaction
from beaver.memory.forgetting.tombstones import message_hash, resource_hash
from beaver.memory.observations.entries import content_hash, fact_hash
from beaver.memory.observations.history_store import find_tombstones
from beaver.memory.observations.store import find_same
from beaver.memory.portability import store
from beaver.memory.portability.kinds import (
    ARCHIVED,
    CONVERSATION,
    DOCUMENT,
    HISTORY,
    OBSERVATION,
    PERSON,
    SUMMARY,
    TURN,
    Fields,
)
from beaver.memory.portability.lines import Record
from beaver.memory.resources.store import find_document
from beaver.memory.transcripts.episodes import Episode
from beaver.memory.transcripts.store import Conversation, ensure_conversation, find_committed, move_conversations
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
    kept: list[Record] = []
    total = Merged()
    conversations: dict[str, Conversation] = {}
    for record in page:
        wanted, outcome = await _decide(tx, namespace_id, record, conversations)
        total += outcome
        if wanted is not None:
            kept.append(wanted)
    await move_conversations(tx, list(conversations.values()))
    return kept, total


async def _decide(
    tx: Transaction, namespace_id: int, record: Record, conversations: dict[str, Conversation]
) -> tuple[Record | None, Merged]:
    fields = record.fields
    if record.kind is CONVERSATION:
        return await _conversation(tx, namespace_id, record)
    if record.kind is TURN:
        return await _turn(tx, namespace_id, record, conversations)
    if await _is_known(tx, namespace_id, record):
        return None, KNOWN
    hashes = _hashes(record)
    forgotten = await find_tombstones(tx, namespace_id, hashes) if hashes else set()
    if hashes and (hashes[0] in forgotten or (len(hashes) > 1 and set(hashes[1:]) <= forgotten)):
        return None, FORGOTTEN
    if record.kind in (OBSERVATION, SUMMARY) and fields.get("session_id"):
        await _ensure(tx, namespace_id, record, fields["session_id"], {})
    return record, NEW


async def _conversation(tx: Transaction, namespace_id: int, record: Record) -> tuple[Record | None, Merged]:
    session_id = record.fields["session_id"]
    if await store.find_conversations(tx, namespace_id, [session_id]):
        return None, KNOWN
    # Its turns are numbered as they come: some may be left out.
    fresh = {"next_sequence": 1, "episode": 0, "episode_messages": 0, "last_observed_ms": None}
    await store.insert_rows(
        tx,
        CONVERSATION,
        [{"namespace_id": namespace_id} | {name: {**record.fields, **fresh}[name] for name in CONVERSATION.columns}],
    )
    return None, NEW


async def _ensure(
    tx: Transaction, namespace_id: int, record: Record, session_id: str, conversations: dict[str, Conversation]
) -> Conversation:
    known = conversations.get(session_id)
    return known or await ensure_conversation(
        tx, namespace_id, session_id, record.fields.get("created_ms") or record.fields["updated_ms"]
    )


async def _turn(
    tx: Transaction, namespace_id: int, record: Record, conversations: dict[str, Conversation]
) -> tuple[Record | None, Merged]:
    fields = record.fields
    if await store.known_ids(tx, namespace_id, TURN, [fields["id"]]):
        return None, KNOWN
    conversation = await _ensure(tx, namespace_id, record, fields["session_id"], conversations)
    if fields.get("turn_key") and await find_committed(tx, conversation.id, fields["turn_key"]) is not None:
        return None, KNOWN
    hashes = [_message_hash(fields, message) for message in fields["messages"]]
    forgotten = await find_tombstones(tx, namespace_id, hashes)
    messages = [message for message, one in zip(fields["messages"], hashes, strict=True) if one not in forgotten]
    if not messages and hashes:
        return None, FORGOTTEN
    episode = conversation.episode
    placed = []
    for message in messages:
        episode = episode.after(message["observed_ms"])
        placed.append({**message, "passage": _place(conversation, episode, message)})
    conversations[fields["session_id"]] = conversation.followed(episode, fields["created_ms"])
    turn = {**fields, "sequence": conversation.next_sequence, "messages": placed}
    return replace(record, fields=turn), NEW + Merged(left_out=len(hashes) - len(messages))


def _place(conversation: Conversation, episode: Episode, message: Fields) -> Fields:
    ordinal = conversation.next_sequence * TURN_MESSAGES_MAX + message["position"]
    return {"observed_ms": message["observed_ms"], "episode": episode.number, "ordinal": ordinal}


def _message_hash(turn: Fields, message: Fields) -> str:
    return message_hash(turn["session_id"], message["speaker"], message["observed_ms"], message["content"])


async def _is_known(tx: Transaction, namespace_id: int, record: Record) -> bool:
    fields, kind = record.fields, record.kind
    if kind is HISTORY:
        return await store.has_history(tx, namespace_id, fields)
    if kind is PERSON:
        return await store.has_person(tx, namespace_id, fields["name_key"])
    if kind is SUMMARY and await store.has_summary(tx, namespace_id, fields["session_id"]):
        return True
    if kind is DOCUMENT and await find_document(tx, namespace_id, fields["uri"]) is not None:
        return True
    if kind in (OBSERVATION, ARCHIVED):
        id_ = fields["id"] if kind is OBSERVATION else fields["observation_id"]
        if await store.known_ids(tx, namespace_id, OBSERVATION, [id_]) or await store.known_ids(
            tx, namespace_id, ARCHIVED, [id_]
        ):
            return True
        if kind is ARCHIVED or fields.get("ended_ms") is not None:
            return False
        same = await find_same(tx, namespace_id, fields["store"], fields["type"], fields["hash"])
        return any(held.ended_ms is None for held in same)
    return bool(await store.known_ids(tx, namespace_id, kind, [fields[kind.key]]))


def _hashes(record: Record) -> list[str]:
    """The hash of the whole first, then of its facts."""
    fields = record.fields
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
