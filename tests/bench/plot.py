"""A plain line chart as SVG, written by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT, MARGIN = 720, 400, 64
COLOURS = ("#1f6f8b", "#c8553d", "#588157", "#6d597a", "#b8860b", "#444444")
TICKS = 5


@dataclass(frozen=True)
class Line:
    """One line of the chart: its points by rising x."""

    name: str
    points: Sequence[tuple[float, float]]


def write_plot(path: Path, title: str, across: str, up: str, lines: Sequence[Line], *, log_x: bool = False) -> None:
    """Draw all lines from y = 0 upwards, with the x axis as it is or by its logarithm."""
    place = _Place.around([point for line in lines for point in line.points], log_x)
    text = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(WIDTH / 2, 24, title, "middle"),
        _text(WIDTH / 2, HEIGHT - 12, across, "middle"),
        _text(MARGIN, 44, up, "middle"),
        *_axes(place, sorted({x for line in lines for x, _ in line.points})),
        *(part for number, line in enumerate(lines) for part in _drawn(line, number, place)),
        "</svg>",
    ]
    path.write_text("\n".join(text) + "\n")


@dataclass(frozen=True)
class _Place:
    x_min: float
    x_max: float
    y_max: float
    log_x: bool

    @classmethod
    def around(cls, points: Sequence[tuple[float, float]], log_x: bool) -> _Place:
        across = [math.log10(x) if log_x else x for x, _ in points]
        return cls(min(across), max(max(across), min(across) + 1e-9), max(y for _, y in points) * 1.1 or 1.0, log_x)

    def x(self, value: float) -> float:
        share = ((math.log10(value) if self.log_x else value) - self.x_min) / (self.x_max - self.x_min)
        return MARGIN + share * (WIDTH - 2 * MARGIN)

    def y(self, value: float) -> float:
        return HEIGHT - MARGIN - value / self.y_max * (HEIGHT - 2 * MARGIN)


def _axes(place: _Place, across: Sequence[float]) -> list[str]:
    ups = [place.y_max * tick / TICKS for tick in range(TICKS + 1)]
    lines = [
        f'<path d="M{MARGIN} {place.y(value):.1f}H{WIDTH - MARGIN}" stroke="#ddd"/>'
        + _text(MARGIN - 6, place.y(value) + 4, f"{value:.3g}", "end")
        for value in ups
    ]
    return lines + [_text(place.x(value), HEIGHT - MARGIN + 18, f"{value:,.0f}", "middle") for value in across]


def _drawn(line: Line, number: int, place: _Place) -> list[str]:
    colour = COLOURS[number % len(COLOURS)]
    points = " ".join(f"{place.x(x):.1f},{place.y(y):.1f}" for x, y in line.points)
    return [
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>',
        *(f'<circle cx="{place.x(x):.1f}" cy="{place.y(y):.1f}" r="3" fill="{colour}"/>' for x, y in line.points),
        f'<g fill="{colour}">{_text(WIDTH - MARGIN, 44 + 16 * number, line.name, "end")}</g>',
    ]


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
