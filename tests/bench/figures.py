"""From samples to a table: median, 99th percentile, and the ratio to the first row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles


@dataclass(frozen=True)
class Row:
    """One line of a table; times in milliseconds, ratios to the first line's."""

    what: str
    p50_ms: float
    p99_ms: float
    p50_ratio: float
    p99_ratio: float


def rows(samples_s: Mapping[str, Sequence[float]]) -> list[Row]:
    """One row a kind, from samples in seconds; the first kind is the measure of the others."""
    figures = {what: (median(each) * 1000, quantiles(each, n=100)[98] * 1000) for what, each in samples_s.items()}
    base50, base99 = next(iter(figures.values()))
    return [
        Row(what, round(p50, 2), round(p99, 2), round(p50 / base50, 2), round(p99 / base99, 2))
        for what, (p50, p99) in figures.items()
    ]


def table(found: Sequence[Row]) -> str:
    """The rows for people."""
    width = max(len(row.what) for row in found)
    lines = [f"{'':{width}}  p50 ms  p99 ms  ×p50  ×p99"]
    lines += [
        f"{row.what:{width}}  {row.p50_ms:6.2f}  {row.p99_ms:6.2f}  {row.p50_ratio:4.2f}  {row.p99_ratio:4.2f}"
        for row in found
    ]
    return "\n".join(lines)
