"""How recall did, pure: sums over what was decided, without a word of what was said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import Any


@dataclass(frozen=True)
class StoreFigures:
    """How one store answered. The percentiles are of how long turns waited, in milliseconds; None where it was never asked."""

    asked: int
    hits: int
    late: int
    failed: int
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True)
class RecallFigures:
    """Turns by what the gate decided, how many of those that recalled were given something, and the tokens it took."""

    turns: int
    decisions: Mapping[str, int]
    recalled: int
    hits: int
    tokens: int
    stores: Mapping[str, StoreFigures]

    @property
    def hit_rate(self) -> float | None:
        """The share of the turns with recall, or a reuse of it, that were given something."""
        return self.hits / self.recalled if self.recalled else None


def recall_figures(decisions: Sequence[Mapping[str, Any]]) -> RecallFigures:
    """The figures of what the hidden events tell, in any order."""
    recalled = [one for one in decisions if one["decision"] != "skip"]
    return RecallFigures(
        turns=len(decisions),
        decisions=dict(Counter(f"{one['decision']} {one['reason']}" for one in decisions).most_common()),
        recalled=len(recalled),
        hits=sum(one["tokens"] > 0 for one in recalled),
        tokens=sum(one["tokens"] for one in recalled),
        stores={store: _store(store, recalled) for store in ("local", "remote")},
    )


def _store(store: str, recalled: Sequence[Mapping[str, Any]]) -> StoreFigures:
    asked = [one["stores"][store] for one in recalled if store in one["stores"]]
    outcomes = Counter(one["outcome"] for one in asked)
    waits = [one["ms"] for one in asked]
    return StoreFigures(
        asked=len(asked),
        hits=outcomes["hit"],
        late=outcomes["late"],
        failed=outcomes["failed"],
        p50_ms=percentile(waits, 50),
        p95_ms=percentile(waits, 95),
    )


def percentile(values: Sequence[float], percent: int) -> float | None:
    """Between the values at its sides, to a tenth; None of none."""
    if not values:
        return None
    if len(values) == 1:
        return round(values[0], 1)
    return round(quantiles(values, n=100, method="inclusive")[percent - 1], 1)
