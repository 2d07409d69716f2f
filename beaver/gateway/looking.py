"""The operations by which users look through a memory, mend it and forget it; and an administrator's on users and keys."""

from __future__ import annotations

from typing import Final

from beaver.errors import InvalidInput
from beaver.memory.forgetting.records import Forgotten
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.listing.records import Memory, MemoryFilter, StoredMessage
from beaver.memory.namespace import Namespace
from beaver.memory.observations.entries import text_of
from beaver.memory.observations.records import Observation, ObservationEdit
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.users.store import StoredKey
from beaver.schemas.gateway import (
    Credentials,
    DeleteResourceRequest,
    DeletionReceipt,
    EditMemoryRequest,
    KeyItem,
    KeyList,
    KeyRequest,
    ListMemoriesRequest,
    ListResourcesRequest,
    MemoryItem,
    MemoryList,
    MemoryRequest,
    NamedUserRequest,
    ResourceItem,
    ResourceList,
    SessionRequest,
    UserReceipt,
)

KEY_ID_LENGTH: Final = 12


async def list_memories(
    runtime: MemoryRuntime, request: ListMemoriesRequest, _identity: RequestIdentity | None
) -> MemoryList:
    """A page of memories."""
    where = MemoryFilter(request.kind, request.session_id, request.type, request.since, request.until)
    page = await runtime.list_memories(namespace_of(request), where, cursor=request.cursor, limit=request.limit)
    return MemoryList(memories=[_item(one) for one in page.memories], next_cursor=page.next_cursor)


async def read_memory(runtime: MemoryRuntime, request: MemoryRequest, _identity: RequestIdentity | None) -> MemoryItem:
    """One memory."""
    return _item(await runtime.read_memory(namespace_of(request), request.memory_id))


async def edit_memory(
    runtime: MemoryRuntime, request: EditMemoryRequest, _identity: RequestIdentity | None
) -> MemoryItem:
    """Change an observation; a message stands as it was said."""
    namespace = namespace_of(request)
    if isinstance(await runtime.read_memory(namespace, request.memory_id), StoredMessage):
        raise InvalidInput("memory_id", "is a message, which stands as it was said")
    edited = await runtime.edit_observation(namespace, request.memory_id, _edit(request))
    if request.pinned is not None:
        edited = await runtime.pin_observation(namespace, request.memory_id, request.pinned)
    return _item(edited)


async def delete_memory(
    runtime: MemoryRuntime, request: MemoryRequest, _identity: RequestIdentity | None
) -> DeletionReceipt:
    """Forget one memory."""
    return _receipt(await runtime.forget_memory(namespace_of(request), request.memory_id))


async def delete_session(
    runtime: MemoryRuntime, request: SessionRequest, _identity: RequestIdentity | None
) -> DeletionReceipt:
    """Forget a session."""
    return _receipt(await runtime.forget_session(namespace_of(request), request.session_id))


async def list_resources(
    runtime: MemoryRuntime, request: ListResourcesRequest, _identity: RequestIdentity | None
) -> ResourceList:
    """A page of documents."""
    page = await runtime.list_resources(namespace_of(request), cursor=request.cursor, limit=request.limit)
    return ResourceList(
        resources=[
            ResourceItem(
                uri=one.uri,
                title=one.title,
                characters=one.characters,
                created_at=one.created_ms,
                updated_at=one.updated_ms,
            )
            for one in page.resources
        ],
        next_cursor=page.next_cursor,
    )


async def delete_resource(
    runtime: MemoryRuntime, request: DeleteResourceRequest, _identity: RequestIdentity | None
) -> DeletionReceipt:
    """Forget a document."""
    return _receipt(await runtime.forget_resource(namespace_of(request), request.uri))


async def delete_user(
    runtime: MemoryRuntime, request: NamedUserRequest, _identity: RequestIdentity | None
) -> DeletionReceipt:
    """Forget a user."""
    await runtime.forget_user(request.user_id)
    return DeletionReceipt(users=1)


async def create_key(
    runtime: MemoryRuntime, request: NamedUserRequest, _identity: RequestIdentity | None
) -> UserReceipt:
    """Make one more key and show it."""
    user = await runtime.add_key(request.user_id)
    return UserReceipt(user_id=user.user_id, user_key=user.key)


async def list_keys(runtime: MemoryRuntime, request: NamedUserRequest, _identity: RequestIdentity | None) -> KeyList:
    """A user's keys, without the keys."""
    return KeyList(user_id=request.user_id, keys=[_key(one) for one in await runtime.list_keys(request.user_id)])


async def revoke_key(runtime: MemoryRuntime, request: KeyRequest, _identity: RequestIdentity | None) -> KeyList:
    """Revoke a key; what the user has then."""
    await runtime.revoke_key(request.user_id, request.key_id)
    return KeyList(user_id=request.user_id, keys=[_key(one) for one in await runtime.list_keys(request.user_id)])


def namespace_of(request: Credentials) -> Namespace:
    """Where a user's request acts."""
    return Namespace(request.app_id, request.project_id, request.user_id)


def _edit(request: EditMemoryRequest) -> ObservationEdit:
    def listed(values: list[str] | None) -> tuple[str, ...] | None:
        return None if values is None else tuple(values)

    return ObservationEdit(
        type=request.type,
        title=request.title,
        narrative=request.narrative,
        facts=listed(request.facts),
        tags=listed(request.tags),
        related_files=listed(request.related_files),
        related_people=listed(request.related_people),
    )


def _item(memory: Memory) -> MemoryItem:
    return _message(memory) if isinstance(memory, StoredMessage) else _observation(memory)


def _message(said: StoredMessage) -> MemoryItem:
    return MemoryItem(
        id=said.id,
        kind="message",
        text=said.content,
        at=said.observed_ms,
        session_id=said.session_id,
        role=said.role,
        speaker=said.speaker,
    )


def _observation(learned: Observation) -> MemoryItem:
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


def _receipt(forgotten: Forgotten) -> DeletionReceipt:
    return DeletionReceipt(
        messages=forgotten.messages,
        observations=forgotten.observations,
        summaries=forgotten.summaries,
        resources=forgotten.resources,
        sessions=forgotten.sessions,
    )


def _key(stored: StoredKey) -> KeyItem:
    return KeyItem(key_id=stored.hash[:KEY_ID_LENGTH], created_at=stored.created_ms, revoked_at=stored.revoked_ms)
