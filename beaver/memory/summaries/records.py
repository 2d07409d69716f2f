"""The values that session summaries are written from and read as."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    """What a session comes to: its first request, its last answer, the decisions and the open items that still hold, and how
    many observations of it do."""

    request: str
    outcome: str
    decisions: tuple[str, ...]
    open_items: tuple[str, ...]
    observation_count: int


@dataclass(frozen=True)
class SessionSummary:
    """A stored summary. Times are UTC epoch milliseconds."""

    id: str
    session_id: str
    summary: Summary
    created_ms: int
    updated_ms: int
