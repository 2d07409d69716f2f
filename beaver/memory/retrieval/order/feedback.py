"""Pseudo-relevance feedback, pure: what is like the best found so far is likelier to be about the same. Helps questions that
several passages answer together, which are like each other more than like the question.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from beaver.memory.retrieval.index.snapshot import Floats, Ints, Snapshot
from beaver.memory.retrieval.order.features import COSINE_SPREAD_MIN, spread

BEST: Final = 3
"""With three as many are among the first five and twenty as with five or eight, and half a percent more among the first ten."""


def likeness_to_best(snapshot: Snapshot, rows: Ints, totals: Floats) -> Floats:
    """How like each of the rows is to another of the three with the highest totals, from 0 for the least to 1."""
    vectors = snapshot.vectors[rows].astype(np.float32)
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1.0)
    best = np.argsort(-totals, kind="stable")[:BEST]
    cosines = (vectors / lengths) @ (vectors[best] / lengths[best]).T
    cosines[best, np.arange(len(best))] = 0.0
    nearest = cosines.max(axis=1).astype(np.float64)
    return spread(nearest, np.ones(len(rows), bool), COSINE_SPREAD_MIN)
