"""What a deletion came to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Forgotten:
    """How many of each are gone; what was learned from nothing else goes with its messages."""

    messages: int = 0
    observations: int = 0
    summaries: int = 0
    resources: int = 0
    sessions: int = 0

    def __add__(self, other: Forgotten) -> Forgotten:
        return Forgotten(
            self.messages + other.messages,
            self.observations + other.observations,
            self.summaries + other.summaries,
            self.resources + other.resources,
            self.sessions + other.sessions,
        )
