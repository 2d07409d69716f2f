"""Scoring, pure: the passages of a snapshot for one question, first by what is cheap, then the best of them by word pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from beaver.memory.inference.port import Encoded
from beaver.memory.retrieval.asking.asked import Asked
from beaver.memory.retrieval.index.snapshot import NONE, Bools, Floats, Ints, Snapshot
from beaver.memory.retrieval.order import blend, maxsim
from beaver.memory.retrieval.order.features import Features, vector_features, word_features
from beaver.memory.retrieval.order.feedback import likeness_to_best
from beaver.memory.retrieval.order.lexical import Lexical, match_words
from beaver.memory.retrieval.ranking import RELEVANCE_MIN, recency_at

COSINE_MIN: Final = 0.3
"""A passage that is less like the question, and holds too little of its words, has nothing to do with it."""
NEAR: Final = 3
"""Passages before and after that are near."""
RANKED_MAX: Final = 2_000
"""How many an answer may choose from; to sort all that has to do with the question took a fifth of a large search."""
PIECES_READ_MAX: Final = 100
"""How many of the best are looked at by their word pieces at most: more change nothing that could be measured."""
_PIECES_READ_MIN: Final = 40
_READ_FOR_EACH: Final = 4


@dataclass(frozen=True)
class Matched:
    """What words tell of every row; `scope` is where the search looks.

    `beside_vectors`: what these features come to in a blend with vectors, worked out while the question is encoded.
    """

    scope: Bools
    lexical: Lexical
    features: Features
    beside_vectors: Floats


@dataclass(frozen=True)
class Ranked:
    """Rows that have to do with the question, best first, with their totals and what tells of them (of every row)."""

    rows: Ints
    totals: Floats
    matched: Matched
    by_vectors: Features
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
    lexical = match_words(snapshot, asked.terms, pairs=asked.unspaced)
    features = word_features(snapshot, asked, lexical, scope)
    return Matched(scope, lexical, features, blend.blend(features, blend.VECTORS, snapshot.rows))


def rank(snapshot: Snapshot, matched: Matched, question: Encoded | None, now_ms: int) -> Ranked:
    """By words, and by vectors of whole passages where there are any."""
    if question is None or not snapshot.vectors.size:
        cosines, by_vectors = None, Features()
        totals = blend.blend(matched.features, blend.WORDS, snapshot.rows)
    else:
        cosines = snapshot.cosines(question.vector)
        by_vectors = vector_features(snapshot, cosines, matched.lexical.keyword, matched.scope)
        totals = matched.beside_vectors + blend.blend(by_vectors, blend.VECTORS, snapshot.rows)
    related = np.flatnonzero(_related(snapshot, matched, cosines))
    rows, totals = _in_order(snapshot, related, totals[related] + _recency(snapshot, related, now_ms))
    return Ranked(rows, totals, matched, by_vectors, cosines)


def rows_by_pieces(ranked: Ranked, limit: int) -> Ints:
    """The rows to look at by their word pieces, for an answer of so many: of 10 the best 50, which costs half of 100 and finds
    as much, of 20 the best 80.
    """
    return ranked.rows[: min(PIECES_READ_MAX, max(_PIECES_READ_MIN + limit, _READ_FOR_EACH * limit))]


def rank_by_pieces(
    snapshot: Snapshot, ranked: Ranked, rows: Ints, question: Encoded, stored: Mapping[int, bytes], now_ms: int
) -> Ranked:
    """The best `rows` anew, with the pieces, by the passages' ids, of these and of their neighbours; the others stay behind."""
    ids, behind = sorted(each for each, packed in stored.items() if packed), slice(len(rows), None)
    if not ids:
        return ranked
    best = maxsim.meet(np.searchsorted(snapshot.ids, ids), [stored[each] for each in ids], question)
    every = {**ranked.matched.features, **ranked.by_vectors}
    features = {name: every[name][rows] for name in blend.PIECES.keys() & every.keys()}
    features |= maxsim.piece_features(snapshot, rows, best, question, ranked.matched.lexical.keyword[rows])
    totals = blend.blend(features, blend.PIECES, len(rows)) + _recency(snapshot, rows, now_ms)
    totals += blend.LIKE_THE_BEST * likeness_to_best(snapshot, rows, totals)
    rows, totals = _in_order(snapshot, rows, totals)
    return replace(
        ranked,
        rows=np.concatenate([rows, ranked.rows[behind]]),
        totals=np.concatenate([totals, _behind(ranked.totals[behind], float(totals[-1]))]),
    )


def _behind(totals: Floats, last: float) -> Floats:
    """Falling totals of another blend, moved down until none is above the last of this one."""
    above = max(0.0, float(totals.max(initial=last)) - last)
    return np.minimum(totals - above, last)


def _recency(snapshot: Snapshot, rows: Ints, now_ms: int) -> Floats:
    return np.asarray(blend.RECENCY * recency_at(snapshot.observed_ms[rows], now_ms))


def _related(snapshot: Snapshot, matched: Matched, cosines: Floats | None) -> Bools:
    """By evidence of its own, or as a near neighbour of one that has it: what is said around it may be the answer.

    What else counts in a blend (names, dates, length) makes no passage relevant.
    """
    own = matched.lexical.keyword >= RELEVANCE_MIN
    if cosines is not None:
        own |= cosines >= COSINE_MIN  # false for one that is unknown
    own &= matched.scope
    related = own.copy()
    for step in (snapshot.previous, snapshot.following):
        reached = np.flatnonzero(own)
        for _ in range(NEAR):
            reached = step[reached]
            reached = reached[reached != NONE]
            related[reached] = True
    return np.asarray(related & matched.scope)


def _in_order(snapshot: Snapshot, rows: Ints, totals: Floats) -> tuple[Ints, Floats]:
    """Best first; of equals the newest. Of very many only the best: nobody reads further."""
    if len(rows) > RANKED_MAX:
        best = np.flatnonzero(totals >= np.partition(totals, -RANKED_MAX)[-RANKED_MAX])
        rows, totals = rows[best], totals[best]
    order = np.argsort(-totals)
    falling = totals[order]
    if (falling[1:] == falling[:-1]).any():  # seldom, and three times the work
        order = np.lexsort((-snapshot.ids[rows], -snapshot.observed_ms[rows], -totals))
    return rows[order], totals[order]
