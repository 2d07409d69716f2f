"""How much a sentence is like those that are worth keeping, pure: a logistic regression on its marks, and its vector if any."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final

from beaver.memory.capture.learned.marks import marks_of
from beaver.memory.capture.learned.weights import KINDS, SCALE, Row, Weights
from beaver.memory.capture.patterns import Kind

ODDS_MIN: Final = 2.0
"""Logarithm of the odds from which a sentence is kept: of those that the weights were not fitted on, nine in ten of these were
worth it, in both languages and without any guard."""
ODDS_MIN_BY_VECTOR: Final = 3.0
"""The same where a vector is judged too: what people talk of by the hour is like what is worth keeping. From 2 on a third of what
was kept of such talk was not, and beside so many observations search found a message in 250 less among its first twenty."""
MARKS_MIN: Final = 3
"""A sentence of which fewer marks are known is kept as nothing: most are of another language."""


def kind_of(plain: str, weights: Weights, vector: Sequence[float] = ()) -> Kind | None:
    """What a sentence is worth keeping as; None where it is not. `vector` is of length 1, empty for weights without a model."""
    known = _known(plain, weights)
    seen = [*known, *zip(weights.vector, vector, strict=True)]
    odds_min = ODDS_MIN if weights.model is None else ODDS_MIN_BY_VECTOR
    if len(known) < MARKS_MIN or _odds(seen, weights, 0) < odds_min:
        return None
    return max(KINDS, key=lambda kind: _odds(seen, weights, 1 + KINDS.index(kind)))


def is_unlikely(plain: str, weights: Weights) -> bool:
    """Whether a sentence is more like those that are not worth keeping, by weights without a model."""
    return _odds(_known(plain, weights), weights, 0) < 0


def _known(plain: str, weights: Weights) -> list[tuple[Row, float]]:
    """The rows of a sentence's marks, each with how much it counts."""
    rows = [row for mark in sorted(marks_of(plain)) if (row := weights.marks.get(mark)) is not None]
    return [(row, 1 / sqrt(len(rows))) for row in rows]


def _odds(seen: Sequence[tuple[Row, float]], weights: Weights, column: int) -> float:
    return (weights.bias[column] + sum(row[column] * value for row, value in seen)) / SCALE
