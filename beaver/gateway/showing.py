"""Memories as the API shows them, pure."""

from __future__ import annotations

from beaver.memory.forgetting.records import Forgotten
from beaver.memory.listing.records import Memory, StoredMessage
from beaver.memory.namespace import Namespace
from beaver.memory.observations.entries import text_of
from beaver.memory.observations.records import Observation
from beaver.schemas.gateway import Credentials, DeletionReceipt, MemoryItem


def namespace_of(request: Credentials) -> Namespace:
    """Where a user's request acts."""
    return Namespace(request.app_id, request.project_id, request.user_id)


def shown(memory: Memory) -> MemoryItem:
    """A message or an observation."""
    return shown_message(memory) if isinstance(memory, StoredMessage) else shown_observation(memory)


def shown_message(said: StoredMessage) -> MemoryItem:
    """A message as it was said."""
    return MemoryItem(
        id=said.id,
        kind="message",
        text=said.content,
        at=said.observed_ms,
        session_id=said.session_id,
        role=said.role,
        speaker=said.speaker,
    )


def shown_observation(learned: Observation) -> MemoryItem:
    """An observation in full."""
    return MemoryItem(
        id=learned.id,
        kind="observation",
        text=text_of(learned),
        at=learned.created_ms,
        session_id=learned.session_id,
        type=learned.type,
        title=learned.title,
        narrative=learned.narrative,
        facts=list(learned.facts),
        tags=list(learned.tags),
        related_files=list(learned.related_files),
        related_people=list(learned.related_people),
        mention_count=learned.mention_count,
        pinned=learned.pinned,
        updated_at=learned.updated_ms,
        ended_at=learned.ended_ms,
        end_reason=learned.end_reason,
    )


def shown_deletion(forgotten: Forgotten) -> DeletionReceipt:
    """What was forgotten, in numbers."""
    return DeletionReceipt(
        messages=forgotten.messages,
        observations=forgotten.observations,
        summaries=forgotten.summaries,
        resources=forgotten.resources,
        sessions=forgotten.sessions,
    )
