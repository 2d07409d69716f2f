"""Scoring, pure: the passages of a snapshot for one question, first by what is cheap, then the best of them by word pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from beaver.memory.inference.port import Encoded
from beaver.memory.retrieval import blend, maxsim
from beaver.memory.retrieval.asked import Asked
from beaver.memory.retrieval.blend import Weights
from beaver.memory.retrieval.features import Features, vector_features, word_features
from beaver.memory.retrieval.lexical import Lexical, match_words
from beaver.memory.retrieval.ranking import RELEVANCE_MIN, recency_at
from beaver.memory.retrieval.snapshot import Bools, Floats, Ints, Snapshot

COSINE_MIN: Final = 0.3
"""A passage that is less like the question, and holds too little of its words, has nothing to do with it."""
NEAR: Final = 3
"""Passages before and after that are near."""
PIECES_READ_MAX: Final = 100
"""How many of the best are looked at by their word pieces: more change nothing that could be measured."""


@dataclass(frozen=True)
class Matched:
    """What words tell of every row; `scope` is where the search looks."""

    scope: Bools
    lexical: Lexical
    features: Features


@dataclass(frozen=True)
class Ranked:
    """Rows that have to do with the question, best first, with their totals and what tells of them (of every row)."""

    rows: Ints
    totals: Floats
    matched: Matched
    cosines: Floats | None

    def why(self, at: int) -> dict[str, Any]:
        """The evidence for the one at this place."""
        row = self.rows[at]
        why: dict[str, Any] = {"keyword": round(float(self.matched.lexical.keyword[row]), 4)}
        if self.cosines is not None and not np.isnan(self.cosines[row]):
            why["vector"] = round(float(self.cosines[row]), 4)
        return why


def match(snapshot: Snapshot, asked: Asked, scope: Bools) -> Matched:
    """By words, speakers, dates and form."""
    lexical = match_words(snapshot, asked.terms)
    return Matched(scope, lexical, word_features(snapshot, asked, lexical, scope))


def rank(snapshot: Snapshot, matched: Matched, question: Encoded | None, now_ms: int) -> Ranked:
    """By words, and by vectors of whole passages where there are any."""
    features, weights, cosines = matched.features, blend.WORDS, None
    if question is not None and snapshot.vectors.size:
        cosines = snapshot.cosines(question.vector)
        features = {**features, **vector_features(snapshot, cosines, matched.lexical.keyword, matched.scope)}
        weights = blend.VECTORS
    totals = _totals(snapshot, features, weights, now_ms)
    related = np.flatnonzero(_related(snapshot, matched, cosines))
    rows = _in_order(snapshot, related, totals[related])
    return Ranked(rows, totals[rows], Matched(matched.scope, matched.lexical, features), cosines)


def rank_by_pieces(
    snapshot: Snapshot, ranked: Ranked, question: Encoded, stored: Mapping[int, bytes], now_ms: int
) -> Ranked:
    """The best 100 anew, with the pieces of these and of their neighbours; those after them are let go."""
    rows = ranked.rows[:PIECES_READ_MAX]
    read = [row for row in maxsim.rows_to_read(snapshot, rows).tolist() if int(snapshot.ids[row]) in stored]
    packed = [stored[int(snapshot.ids[row])] for row in read]
    if not any(packed):
        return ranked
    best = maxsim.meet(np.array(read, np.int64), packed, question)
    keyword = ranked.matched.lexical.keyword[rows]
    features = {name: values[rows] for name, values in ranked.matched.features.items()}
    features |= maxsim.piece_features(snapshot, rows, best, question, keyword)
    totals = blend.blend(features, blend.PIECES, len(rows)) + blend.RECENCY * _recency(snapshot, now_ms)[rows]
    order = np.lexsort((-snapshot.ids[rows], -snapshot.observed_ms[rows], -totals))
    return Ranked(rows[order], totals[order], ranked.matched, ranked.cosines)


def _totals(snapshot: Snapshot, features: Features, weights: Weights, now_ms: int) -> Floats:
    return blend.blend(features, weights, snapshot.rows) + blend.RECENCY * _recency(snapshot, now_ms)


def _recency(snapshot: Snapshot, now_ms: int) -> Floats:
    return np.asarray(recency_at(snapshot.observed_ms, now_ms))


def _related(snapshot: Snapshot, matched: Matched, cosines: Floats | None) -> Bools:
    """By evidence of its own, or as a near neighbour of one that has it: what is said around it may be the answer.

    What else counts in a blend (names, dates, length) makes no passage relevant.
    """
    own = matched.lexical.keyword >= RELEVANCE_MIN
    if cosines is not None:
        own |= np.nan_to_num(cosines) >= COSINE_MIN
    own &= matched.scope
    near = snapshot.around(own.astype(np.float64), NEAR) > 0
    return np.asarray((own | near) & matched.scope)


def _in_order(snapshot: Snapshot, rows: Ints, totals: Floats) -> Ints:
    """Best first; of equals the newest."""
    return rows[np.lexsort((-snapshot.ids[rows], -snapshot.observed_ms[rows], -totals))]
