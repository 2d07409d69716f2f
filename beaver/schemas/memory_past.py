"""The Gateway's API on what became of memories: history, evidence, the archive, the export. Times are UTC epoch milliseconds."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from beaver.schemas.gateway import Credentials, MemoryItem
from beaver.schemas.wire import Answered, Text

HISTORY_PATH: Final = "/memories/{memory_id}/history"
EVIDENCE_PATH: Final = "/memories/{memory_id}/evidence"
ARCHIVE_SEARCH_PATH: Final = "/archive/search"
RESTORE_PATH: Final = "/archive/{memory_id}/restore"
EXPORT_PATH: Final = "/users/{user_id}/export"
EXPORT_MEDIA_TYPE: Final = "application/x-ndjson"


class ArchiveSearchRequest(Credentials):
    """Look in the archive for observations that hold all the words; without words, the last archived."""

    query: Annotated[Text, Field(max_length=8_000)] = ""
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class ExportRequest(Credentials):
    """All of a namespace's memory, as a file that `beaver gateway import` reads."""


class HistoryItem(Answered):
    """A change. `before` and `after`: what the observation said, where it said something and is not forgotten."""

    event: str
    at: int
    reason: str
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None


class MemoryHistory(Answered):
    """What happened to an observation, the first first."""

    id: str
    history: list[HistoryItem]


class EvidenceItem(Answered):
    """A message that an observation was learned from; without `message` where it was forgotten, or came with an import."""

    turn_id: str
    message_id: str
    message: MemoryItem | None = None


class MemoryEvidence(Answered):
    """What an observation was learned from."""

    id: str
    evidence: list[EvidenceItem]


class ArchivedItem(Answered):
    """An observation in the archive, when it came there and why."""

    memory: MemoryItem
    archived_at: int
    reason: str


class ArchiveList(Answered):
    """What the archive holds, the last archived first."""

    archived: list[ArchivedItem]
