"""From samples to tables: medians, 99th percentiles, ratios to the first row."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any


@dataclass(frozen=True)
class Row:
    """One line of a table; times in milliseconds, ratios to the first line's."""

    what: str
    p50_ms: float
    p99_ms: float
    p50_ratio: float
    p99_ratio: float


@dataclass(frozen=True)
class Table:
    """What a benchmark found: lines with the same keys, which are the columns' heads."""

    title: str
    lines: Sequence[Mapping[str, Any]]


def rows(samples_s: Mapping[str, Sequence[float]]) -> list[Row]:
    """One row a kind, from samples in seconds; the first kind is the measure of the others."""
    figures = {what: percentiles_ms(each) for what, each in samples_s.items()}
    base50, base99 = next(iter(figures.values()))
    return [
        Row(what, round(p50, 2), round(p99, 2), round(p50 / base50, 2), round(p99 / base99, 2))
        for what, (p50, p99) in figures.items()
    ]


def percentiles_ms(samples_s: Sequence[float]) -> tuple[float, float]:
    """Median and 99th percentile, in milliseconds."""
    return median(samples_s) * 1000, quantiles(samples_s, n=100)[98] * 1000


def latency_table(title: str, samples_s: Mapping[str, Sequence[float]]) -> Table:
    """The rows as a table."""
    return Table(title, [vars(row) for row in rows(samples_s)])


def written(table: Table) -> str:
    """The table for people."""
    heads = list(table.lines[0])
    cells = [[_cell(line[head]) for head in heads] for line in table.lines]
    widths = [max(len(head), *(len(row[at]) for row in cells)) for at, head in enumerate(heads)]
    written_rows = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in [heads, *cells]
    ]
    return "\n".join([table.title, *written_rows])


def progress(what: str) -> None:
    """A line for whoever waits."""
    print(what, file=sys.stderr, flush=True)


def _cell(value: object) -> str:
    return "-" if value is None else str(value)
