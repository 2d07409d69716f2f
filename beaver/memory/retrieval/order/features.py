"""Features of every passage for a question, pure: one column each, most of them in [0, 1]; blend.py weighs them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beaver.memory.retrieval.asking.asked import Asked
from beaver.memory.retrieval.dates import FAR_DAYS
from beaver.memory.retrieval.index.snapshot import NONE, Bools, Floats, Snapshot
from beaver.memory.retrieval.order.lexical import Lexical
from beaver.memory.retrieval.signature import ASKS, COUNTS, TELLS_TIME

Features = dict[str, Floats]

COSINE_SPREAD_MIN: Final = 0.3
"""The span of cosines that counts as one from nothing to everything: in a small memory all may be alike."""
_OPENING: Final = 2
_WEEK, _MONTH = 7, 30


def word_features(snapshot: Snapshot, asked: Asked, lexical: Lexical, scope: Bools) -> Features:
    """What words, speakers, dates and form tell. `scope`: the rows by which is normalised."""
    asking = _flag(snapshot, ASKS)
    passage = to_best(lexical.passage, scope)
    message = snapshot.is_message.astype(np.float64)
    return {
        "words": passage,
        "words_coverage": lexical.coverage,
        "words_window": to_best(lexical.window, scope),
        "words_segment": to_best(lexical.segment, scope),
        "answers_words": snapshot.before(asking * passage),
        "asks": asking,
        "after_question": snapshot.before(asking),
        "length": snapshot.length_score,
        "opening": (snapshot.place < _OPENING) * message,
        "number": _flag(snapshot, COUNTS),
        "nouns": snapshot.naming_score,
        **_speaker_features(snapshot, asked),
        **_time_features(snapshot, asked),
        **_date_features(snapshot, asked),
    }


def vector_features(snapshot: Snapshot, cosines: Floats, stand_in: Floats, scope: Bools) -> Features:
    """What vectors of whole passages tell; `stand_in` for those without, in [0, 1], but not below the usual."""
    known = ~np.isnan(cosines)
    here = known & scope
    near = spread(cosines, here, COSINE_SPREAD_MIN)
    if not known.all():
        usual = float(near[here].mean()) if here.any() else 0.0
        near = np.where(known, near, np.maximum(stand_in, usual))
    return {
        "cosine": near,
        "cosine_before": snapshot.before(near),
        "cosine_after": snapshot.after(near),
        "cosine_segment": _best_three(snapshot, near),
        "answers_cosine": snapshot.before(_flag(snapshot, ASKS) * near),
    }


def to_best(values: Floats, scope: Bools) -> Floats:
    """As shares of the best in scope."""
    best = float((values if scope.all() else values[scope]).max(initial=0.0))
    return values / best if best > 1e-9 else np.zeros_like(values)


def spread(values: Floats, scope: Bools, span_min: float) -> Floats:
    """From 0 for the least to 1 for the best in scope; a span below `span_min` ends at less than 1."""
    here = values if scope.all() else values[scope]
    if not len(here):
        return np.zeros_like(values)
    least, best = float(here.min()), float(here.max())
    return np.clip((values - least) / max(best - least, span_min), 0.0, 1.0)


def _flag(snapshot: Snapshot, flag: int) -> Floats:
    set_there: Floats = ((snapshot.flags & flag) != 0).astype(np.float64)
    return set_there


def _speaker_features(snapshot: Snapshot, asked: Asked) -> Features:
    if asked.speaker == NONE:
        return {}
    spoke = (snapshot.speaker == asked.speaker).astype(np.float64)
    return {"speaker": spoke, "another_speaker": (1 - spoke) * snapshot.is_message}


def _time_features(snapshot: Snapshot, asked: Asked) -> Features:
    tells = _flag(snapshot, TELLS_TIME)
    return {"time": tells, **({"when_time": tells, "when_no_time": 1 - tells} if asked.when else {})}


def _date_features(snapshot: Snapshot, asked: Asked) -> Features:
    """How near a passage was said, or speaks of, to the days that the question names."""
    if not asked.days:
        return {}
    said, implied = snapshot.days_observed, np.full(snapshot.rows, FAR_DAYS)
    gap, begun = np.full(snapshot.rows, FAR_DAYS), np.zeros(snapshot.rows, bool)
    first, last = snapshot.days[:, 0].astype(np.int64), snapshot.days[:, 1].astype(np.int64)
    for days in asked.days:
        gap = np.minimum(gap, _gap(said, said, days.first, days.last))
        begun |= said >= days.first
        np.minimum.at(implied, snapshot.days_row, _gap(first, last, days.first, days.last))
    return {
        "said_then": (gap == 0).astype(np.float64),
        "said_soon_after": np.exp(-gap / _WEEK) * begun,
        "said_about_then": np.exp(-gap / _MONTH),
        "speaks_of_then": np.exp(-implied / _WEEK),
    }


def _gap(first: NDArray[Any], last: NDArray[Any], other_first: int, other_last: int) -> Any:
    return np.maximum(0, np.maximum(other_first - last, first - other_last))


def _best_three(snapshot: Snapshot, values: Floats) -> Floats:
    """The mean of the three best of each row's segment."""
    if not snapshot.rows:
        return values
    left, of, starts = values[snapshot.by_segment], snapshot.segment[snapshot.by_segment], snapshot.segment_starts
    total, counted = np.zeros(snapshot.segments), np.zeros(snapshot.segments)
    for _ in range(3):
        best = np.maximum.reduceat(left, starts)
        some = best >= 0
        total[some] += best[some]
        counted[some] += 1
        taken = np.flatnonzero(left == best[of])
        left[taken[np.diff(of[taken], prepend=-1) > 0]] = -1.0
    return (total / np.maximum(counted, 1))[snapshot.segment]
