"""What the audit events of a turn say: outcome, category, status. Pure; never content, never a credential."""

from __future__ import annotations

from typing import Any, Final, Literal

from beaver.schemas.gateway import chat_session

Payload = dict[str, Any]

WORKER_LOST: Final = "worker_lost"
"""The process that had sent the call, or was about to, never said what became of it."""

IDENTITY_MISMATCH: Final = "identity_mismatch"
"""Made for another user, or namespace, than any that the settings name."""


def add_succeeded(session_id: str, *, message_count: int, attempt: int) -> Payload:
    """The Gateway has confirmed the add."""
    return {"gateway_session": chat_session(session_id), "message_count": message_count, "attempt": attempt}


def add_failed(category: str, outcome: Literal["refused", "unknown"], status: int | None = None) -> Payload:
    """Refused: surely not stored. Unknown: it may have been."""
    return {"operation": "add", "category": category, "outcome": outcome, **_http(status)}


def flush_succeeded(session_id: str) -> Payload:
    """The Gateway has confirmed the flush."""
    return {"gateway_session": chat_session(session_id)}


def flush_failed(category: str, outcome: Literal["failed", "unknown"], status: int | None = None) -> Payload:
    """The flush did not work, or may not have; the add's success stands."""
    return {"operation": "flush", "category": category, "outcome": outcome, "add_succeeded": True, **_http(status)}


def add_skipped(reason: str) -> Payload:
    """The turn was never meant to be sent."""
    return {"reason": reason}


def operator_acted(
    action: str, actor: str, source: str, target: str, *, attempt: int, reason: str | None = None
) -> Payload:
    """A person did something about the turn, or looked at its words."""
    acted = {"action": action, "from_state": source, "to_state": target, "actor": actor, "attempt": attempt}
    return acted if reason is None else {**acted, "reason": reason}


def operator_purged(actor: str, *, turns: int) -> Payload:
    """A person had rows of a session's delivered turns deleted; the session's own words stay."""
    return {"action": "purge", "actor": actor, "turns": turns}


def _http(status: int | None) -> Payload:
    return {} if status is None else {"http_status": status}
