"""What a session is made of: events, runs and the session itself, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

MESSAGE: Final = "message"
"""The kind of messages. Every other kind is the name of an audit event."""

RunStatus = Literal["queued", "running", "completed", "failed", "cancelled"]
QUEUED: Final = "queued"
"""Accepted, and known to every server; the lease of its session is still to be had."""
RUNNING: Final = "running"
UNFINISHED: Final = (QUEUED, RUNNING)
CRASHED: Final = "crashed"
"""The error code of a run whose process left it."""
SUPERSEDED: Final = "superseded"
"""The error code of a run whose session was taken away by one that interrupts."""
HISTORY_MESSAGES_MAX: Final = 1000
"""How many of a session's newest messages a run is given, and a client's own history is compared with."""
QUEUED_MS_MAX: Final = 90_000
"""Longer than any run waits for its session, which is a minute: one that is queued still was left by its process."""


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


@dataclass(frozen=True, slots=True)
class Said:
    """What a message says, without the rest of its event: as much as a prompt needs, and long histories are made of."""

    id: int
    role: str | None
    content: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoredEvent(Said):
    """An event as it stands. Ids rise within a session in the order of commit; `created_ms` may step back."""

    session_id: str
    run_id: str | None
    kind: str
    context_visible: bool
    created_ms: int


@dataclass(frozen=True)
class SessionRecord:
    """A session. `updated_ms` moves with its visible events.

    A fork names the session it came of and the last event of it that was copied; both are None otherwise.
    """

    id: str
    title: str | None
    created_ms: int
    updated_ms: int
    parent_id: str | None = None
    forked_after_event: int | None = None


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
    stop_requested_ms: int | None = None
