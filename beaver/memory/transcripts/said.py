"""A stored message as capture and summaries read it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SaidMessage:
    """One message as it stands in the transcript. `observed_ms` is UTC epoch milliseconds by the speaker's clock."""

    turn_id: str
    message_id: str
    role: str
    speaker: str
    content: str
    observed_ms: int


@dataclass(frozen=True)
class StagedTurn:
    """A turn that waits for a flush, with its messages in order."""

    id: str
    messages: tuple[SaidMessage, ...]
