"""Who is told how recall and writes go: decisions, outcomes, durations, tokens and counts; never content."""

from __future__ import annotations

from typing import Literal, Protocol

StoreName = Literal["local", "remote"]
StoreOutcome = Literal["hit", "empty", "late", "failed"]


class RecallObserver(Protocol):
    """Told in the turns' own time: every method returns at once and raises nothing."""

    def decided(self, decision: str, reason: str) -> None:
        """The gate decided: `run`, `reuse` or `skip`, and why."""

    def asked(self, store: StoreName, seconds: float, outcome: StoreOutcome) -> None:
        """A store was asked."""

    def injected(self, tokens: int) -> None:
        """So many tokens were added to a prompt; 0 for none."""


class WriteObserver(Protocol):
    """Told once a turn was looked at: returns at once and raises nothing."""

    def gated(self, outcome: str, count: int) -> None:
        """So many candidates of a turn came to this: `kept`, `deduped`, `sent`, or the reason why they were not kept."""


class PolicyObserver(RecallObserver, WriteObserver, Protocol):
    """Told of both."""


class UnobservedRecall:
    """The observer where nobody counts."""

    def decided(self, decision: str, reason: str) -> None:
        """Not counted."""

    def asked(self, store: StoreName, seconds: float, outcome: StoreOutcome) -> None:
        """Not counted."""

    def injected(self, tokens: int) -> None:
        """Not counted."""

    def gated(self, outcome: str, count: int) -> None:
        """Not counted."""
