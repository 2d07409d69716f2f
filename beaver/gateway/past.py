"""The operations on what became of memories: history, evidence, the archive, the export of all."""

from __future__ import annotations

import asyncio
from tempfile import SpooledTemporaryFile
from typing import Final

from beaver.gateway.answers import FileAnswer
from beaver.gateway.showing import namespace_of, shown_message, shown_observation
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.runtime import MemoryRuntime
from beaver.schemas.gateway import MemoryItem, MemoryRequest
from beaver.schemas.memory_past import (
    EXPORT_MEDIA_TYPE,
    ArchivedItem,
    ArchiveList,
    ArchiveSearchRequest,
    EvidenceItem,
    ExportRequest,
    HistoryItem,
    MemoryEvidence,
    MemoryHistory,
)

EXPORT_IN_MEMORY_BYTES: Final = 8 * 1024 * 1024
"""A larger export lies in a file without a name until it is sent."""


async def history(runtime: MemoryRuntime, request: MemoryRequest, _identity: RequestIdentity | None) -> MemoryHistory:
    """What happened to an observation."""
    entries = await runtime.observation_history(namespace_of(request), request.memory_id)
    return MemoryHistory(
        id=request.memory_id,
        history=[
            HistoryItem(
                event=entry.event,
                at=entry.at_ms,
                reason=entry.reason,
                before=None if entry.before is None else dict(entry.before),
                after=None if entry.after is None else dict(entry.after),
            )
            for entry in entries
        ],
    )


async def evidence(runtime: MemoryRuntime, request: MemoryRequest, _identity: RequestIdentity | None) -> MemoryEvidence:
    """What an observation was learned from."""
    sources = await runtime.observation_evidence(namespace_of(request), request.memory_id)
    return MemoryEvidence(
        id=request.memory_id,
        evidence=[
            EvidenceItem(
                turn_id=one.evidence.turn_id,
                message_id=one.evidence.message_id,
                message=None if one.message is None else shown_message(one.message),
            )
            for one in sources
        ],
    )


async def search_archive(
    runtime: MemoryRuntime, request: ArchiveSearchRequest, _identity: RequestIdentity | None
) -> ArchiveList:
    """Look in the archive."""
    found = await runtime.search_archive(namespace_of(request), request.query, limit=request.limit)
    return ArchiveList(
        archived=[
            ArchivedItem(memory=shown_observation(one.observation), archived_at=one.archived_ms, reason=one.reason)
            for one in found
        ]
    )


async def restore(runtime: MemoryRuntime, request: MemoryRequest, _identity: RequestIdentity | None) -> MemoryItem:
    """Take an observation out of the archive."""
    return shown_observation(await runtime.restore_observation(namespace_of(request), request.memory_id))


async def export(runtime: MemoryRuntime, request: ExportRequest, _identity: RequestIdentity | None) -> FileAnswer:
    """All of a user's memory as one file. It is written before it is sent: no transaction waits for a slow reader."""
    file = SpooledTemporaryFile(max_size=EXPORT_IN_MEMORY_BYTES)  # noqa: SIM115 - the answer closes it
    try:
        await runtime.export(namespace_of(request), file, lambda _done, _total: None)
        await asyncio.to_thread(file.seek, 0)
    except BaseException:
        file.close()
        raise
    return FileAnswer(file, EXPORT_MEDIA_TYPE, "memory.jsonl")
