"""Which of the local store's hits are worth a place in a prompt, pure: a score, gates on it, and an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from beaver.agent.policy.stores import Hit, MemoryItem

SEMANTIC_SHARE: Final = 0.55
KEYWORD_SHARE: Final = 0.35
RECENCY_SHARE: Final = 0.10
HALF_LIFE_DAYS: Final = 14
_DAY_MS: Final = 86_400_000

Reason = Literal["pinned", "meaning", "words"]


@dataclass(frozen=True)
class Thresholds:
    """What an item must reach; shares in [0, 1]. Pinned ones need no score and come first, in at most `pinned_max` places."""

    score_min: float = 0.30
    semantic_min: float = 0.35
    keyword_min: float = 0.20
    confidence_min: float = 0.5
    top_k: int = 5
    pinned_max: int = 3


@dataclass(frozen=True)
class Ranked:
    """An item that earned a place, its score in [0, 1], and what earned it."""

    item: MemoryItem
    score: float
    reason: Reason


def rank(hits: Sequence[Hit], now_ms: int, thresholds: Thresholds) -> tuple[Ranked, ...]:
    """Pinned ones first, then the best, at most `top_k`; the same hits give the same order, however they come."""
    ranked = [_ranked(hit, now_ms) for hit in hits if _is_relevant(hit, thresholds)]
    ranked = [one for one in ranked if one.item.pinned or one.score >= thresholds.score_min]
    ranked.sort(key=lambda one: (not one.item.pinned, -one.score, -one.item.updated_at, one.item.id))
    return tuple(_within_places(ranked, thresholds))


def score(hit: Hit, now_ms: int) -> float:
    """0.55 meaning, 0.35 words, 0.10 recency; the weights of what the store cannot measure go to the rest."""
    parts = [
        (SEMANTIC_SHARE, hit.semantic),
        (KEYWORD_SHARE, hit.keyword),
        (RECENCY_SHARE, recency(hit.item.updated_at, now_ms)),
    ]
    known = [(share, part) for share, part in parts if part is not None]
    return sum(share * part for share, part in known) / sum(share for share, _ in known)


def recency(at_ms: int, now_ms: int) -> float:
    """1 for what is new, half of it for every 14 days."""
    return float(2 ** (-max(0, now_ms - at_ms) / (HALF_LIFE_DAYS * _DAY_MS)))


def _is_relevant(hit: Hit, thresholds: Thresholds) -> bool:
    """By meaning or by words: what is only recent is not."""
    if hit.item.confidence < thresholds.confidence_min:
        return False
    return (hit.semantic or 0.0) >= thresholds.semantic_min or (hit.keyword or 0.0) >= thresholds.keyword_min


def _ranked(hit: Hit, now_ms: int) -> Ranked:
    near = (hit.semantic or 0.0) * SEMANTIC_SHARE >= (hit.keyword or 0.0) * KEYWORD_SHARE
    reason: Reason = "pinned" if hit.item.pinned else "meaning" if near and hit.semantic else "words"
    return Ranked(hit.item, score(hit, now_ms), reason)


def _within_places(ranked: Sequence[Ranked], thresholds: Thresholds) -> list[Ranked]:
    kept: list[Ranked] = []
    pinned = 0
    for one in ranked:
        if len(kept) == thresholds.top_k:
            break
        if one.item.pinned and pinned == thresholds.pinned_max:
            continue
        pinned += one.item.pinned
        kept.append(one)
    return kept
