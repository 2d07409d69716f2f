"""The operations by which users look through a memory, mend it and forget it."""

from __future__ import annotations

from beaver.errors import InvalidInput
from beaver.gateway.showing import namespace_of, shown, shown_deletion
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.listing.records import MemoryFilter, StoredMessage
from beaver.memory.observations.records import ObservationEdit
from beaver.memory.runtime import MemoryRuntime
from beaver.schemas.gateway import (
    DeleteResourceRequest,
    DeletionReceipt,
    EditMemoryRequest,
    ListMemoriesRequest,
    ListResourcesRequest,
    MemoryItem,
    MemoryList,
    MemoryRequest,
    ResourceItem,
    ResourceList,
    SessionRequest,
)


async def list_memories(
    runtime: MemoryRuntime, request: ListMemoriesRequest, _identity: RequestIdentity | None
) -> MemoryList:
    """A page of memories."""
    where = MemoryFilter(request.kind, request.session_id, request.type, request.since, request.until)
    page = await runtime.list_memories(namespace_of(request), where, cursor=request.cursor, limit=request.limit)
    return MemoryList(memories=[shown(one) for one in page.memories], next_cursor=page.next_cursor)


async def read_memory(runtime: MemoryRuntime, request: MemoryRequest, _identity: RequestIdentity | None) -> MemoryItem:
    """One memory."""
    return shown(await runtime.read_memory(namespace_of(request), request.memory_id))


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
    return shown(edited)


async def delete_memory(
    runtime: MemoryRuntime, request: MemoryRequest, _identity: RequestIdentity | None
) -> DeletionReceipt:
    """Forget one memory."""
    return shown_deletion(await runtime.forget_memory(namespace_of(request), request.memory_id))


async def delete_session(
    runtime: MemoryRuntime, request: SessionRequest, _identity: RequestIdentity | None
) -> DeletionReceipt:
    """Forget a session."""
    return shown_deletion(await runtime.forget_session(namespace_of(request), request.session_id))


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
    return shown_deletion(await runtime.forget_resource(namespace_of(request), request.uri))


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
