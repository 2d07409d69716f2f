"""What a session is made of: events, runs and the session itself, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

MESSAGE: Final = "message"
"""The kind of messages. Every other kind is the name of an audit event."""

RunStatus = Literal["running", "completed", "failed", "cancelled"]
RUNNING: Final = "running"


@dataclass(frozen=True)
class NewEvent:
    """An event to append. Messages have the kind MESSAGE and a role.

    An assistant message that asks for tools holds `{"tool_calls": [{"id", "name", "arguments"}]}` in its payload, a
    message of role `tool` `{"tool_call_id", "tool_name", "is_error"}`. Hidden events (`context_visible=False`) reach
    neither prompt nor search.
    """

    kind: str
    content: str = ""
    role: str | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)
    context_visible: bool = True


@dataclass(frozen=True)
class HiddenEvent:
    """An audit event to append: it says what became of something, and holds no content."""

    session_id: str
    run_id: str | None
    kind: str
    payload: Mapping[str, Any]


@dataclass(frozen=True)
class StoredEvent:
    """An event as it stands. Ids rise within a session in the order of commit; `created_ms` may step back."""

    id: int
    session_id: str
    run_id: str | None
    kind: str
    role: str | None
    content: str
    payload: Mapping[str, Any]
    context_visible: bool
    created_ms: int


@dataclass(frozen=True)
class SessionRecord:
    """A session. `updated_ms` moves with its visible events."""

    id: str
    title: str | None
    created_ms: int
    updated_ms: int


@dataclass(frozen=True)
class RunRecord:
    """One run of the agent over a session, under the fence of the lease it held."""

    id: str
    session_id: str
    status: RunStatus
    stop_reason: str | None
    error_code: str | None
    fence: int
    provider: str | None
    model: str | None
    usage: Mapping[str, Any] | None
    tools_used: tuple[str, ...]
    created_ms: int
    ended_ms: int | None
