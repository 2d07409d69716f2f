"""The recall gate, pure: whether a turn searches, uses again what was found, or goes on without memory, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from beaver.agent.policy.phrases import has_words, is_acknowledgement, looks_back

SkipReason = Literal["off", "denied", "machine_turn", "ack"]
ReuseReason = Literal["cache_hit", "topic_reuse"]
RunReason = Literal["always", "session_start", "explicit_ref", "topic_change", "window_expired"]


@dataclass(frozen=True)
class Skip:
    """Nothing is recalled."""

    reason: SkipReason


@dataclass(frozen=True)
class Reuse:
    """What was found before serves again; no store is asked."""

    reason: ReuseReason


@dataclass(frozen=True)
class Run:
    """The stores are asked."""

    reason: RunReason


Decision = Skip | Reuse | Run


@dataclass(frozen=True)
class Standing:
    """How a turn stands to what went before it.

    `begins`: the session's first turn, or the first after a long silence. `cached`: the same was asked within the cache's time.
    `shifted`: it is about something else than the turns before. `window_open`: what was recalled for the topic still serves.
    """

    begins: bool
    cached: bool
    shifted: bool
    window_open: bool


def barred(*, off: bool, denied: bool) -> Skip | None:
    """Why nothing may be recalled, whatever is said; None when it may."""
    if off:
        return Skip("off")
    return Skip("denied") if denied else None


def needless(prompt: str, *, by_machine: bool) -> Skip | None:
    """Why a turn needs no memory, as far as the turn alone tells; None when it may."""
    if by_machine or not has_words(prompt):
        return Skip("machine_turn")
    return Skip("ack") if is_acknowledgement(prompt) else None


def decide(prompt: str, standing: Standing) -> Run | Reuse:
    """Whether a turn that may recall searches; the first rule that fits."""
    if standing.begins:
        return Run("session_start")
    if looks_back(prompt):
        return Run("explicit_ref")
    if standing.cached:
        return Reuse("cache_hit")
    if standing.shifted:
        return Run("topic_change")
    return Reuse("topic_reuse") if standing.window_open else Run("window_expired")
