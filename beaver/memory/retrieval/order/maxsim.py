"""Late interaction, pure: how well each word piece of a question is met somewhere in a passage, or in its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beaver.memory.embedding.packing import Directions, piece_cosines
from beaver.memory.inference.port import Encoded, Vectors
from beaver.memory.retrieval.index.postings import each_once
from beaver.memory.retrieval.index.snapshot import NONE, Floats, Ints, Snapshot
from beaver.memory.retrieval.order.features import Features

SPREAD_MIN: Final = 0.3
REACH: Final = 2
"""How many passages before and after may meet what a passage leaves unmet."""
COMMON_SHARE: Final = 0.25
"""The share of passages that is taken to hold a piece without a meaning of its own (what, did): of these none are stored."""
PASSAGES_AT_ONCE: Final = 96
"""As many as have pieces that stay in a processor's cache."""
_UNMET: Final = -1.0


@dataclass(frozen=True)
class Best:
    """For passages `rows` (rising) the best cosine of each of the question's pieces: (rows, pieces)."""

    rows: Ints
    met: NDArray[np.float32]


def rows_to_read(snapshot: Snapshot, rows: Ints) -> Ints:
    """These rows and their neighbours, as far as they have vectors; rising."""
    near = np.concatenate([rows, *_neighbours(snapshot, rows)])
    every = each_once(near[near != NONE])
    return np.asarray(every[snapshot.scales[every] > 0])


def meet(rows: Ints, pieces: Sequence[bytes], question: Encoded) -> Best:
    """The best cosines of passages whose measured pieces these are, in the order of the rows; no passage is without pieces."""
    assert question.pieces is not None  # noqa: S101 - whoever has no pieces does not come here
    directions = Directions.of(question.pieces)
    parts = [pieces[start : start + PASSAGES_AT_ONCE] for start in range(0, len(pieces), PASSAGES_AT_ONCE)]
    return Best(rows, np.concatenate([_met_best(part, directions) for part in parts]))


def _met_best(pieces: Sequence[bytes], directions: Directions) -> Vectors:
    cosines, bounds = piece_cosines(pieces, directions)
    best: Vectors = np.maximum.reduceat(cosines, bounds[:-1], axis=0)
    return best


def piece_features(snapshot: Snapshot, rows: Ints, best: Best, question: Encoded, stand_in: Floats) -> Features:
    """Features of `rows` alone. For a row without pieces `stand_in` (of these rows, in [0, 1]), but not below the usual."""
    weights, content = _weights(snapshot, question), question.content
    own, *nearer, before, after = (_met(best, step) for step in (rows, *_neighbours(snapshot, rows)))
    near = np.maximum.reduce([own, *nearer])
    known = own[:, 0] != _UNMET
    raw = own @ weights
    values = {
        "pieces": raw,
        "pieces_window": near @ weights,
        "pieces_around": np.maximum.reduce([near, before, after]) @ weights,
        "pieces_content": own[:, content] @ weights[content] if content is not None and content.any() else raw,
    }
    features = dict(zip(values, _spread(np.stack(list(values.values())), known, stand_in), strict=True))
    return {**features, "pieces_raw": np.where(known, raw, raw[known].mean() if known.any() else 0.0)}


def _neighbours(snapshot: Snapshot, rows: Ints) -> list[Ints]:
    """The rows one before and one after each, then those further away; NONE where there is none."""
    before, after, found = rows, rows, list[Ints]()
    for _ in range(REACH):
        before, after = (
            np.where(at == NONE, NONE, step[at])
            for step, at in ((snapshot.previous, before), (snapshot.following, after))
        )
        found += [before, after]
    return found


def _weights(snapshot: Snapshot, question: Encoded) -> Floats:
    """A piece weighs the more, the fewer passages hold it; together they weigh 1."""
    assert question.piece_ids is not None  # noqa: S101 - as above
    passages = max(snapshot.piece_counts.passages, 1)
    holding: Any = snapshot.piece_counts.holding(question.piece_ids)
    if question.content is not None:
        holding = np.where(question.content, holding, COMMON_SHARE * passages)
    weights = np.log(1 + passages / (1 + holding))
    shares: Floats = weights / max(float(weights.sum()), 1e-9)
    return shares


def _met(best: Best, rows: Ints) -> NDArray[np.float32]:
    """The best cosines of these rows; `_UNMET` for NONE and for one without pieces."""
    at = np.minimum(np.searchsorted(best.rows, rows), max(len(best.rows) - 1, 0))
    here = best.rows[at] == rows if len(best.rows) else np.zeros(len(rows), bool)
    return np.where(here[:, None], best.met[at], np.float32(_UNMET))


def _spread(values: Floats, known: NDArray[np.bool_], stand_in: Floats) -> Floats:
    """Each line of (features, rows) as features.spread does it; what is not known as `stand_in`, but not below the usual."""
    if not known.any():
        return np.broadcast_to(stand_in, values.shape)
    there = values[:, known]
    least = there.min(axis=1, keepdims=True)
    spans = np.maximum(there.max(axis=1, keepdims=True) - least, SPREAD_MIN)
    usual = ((there - least) / spans).mean(axis=1, keepdims=True)
    return np.asarray(np.where(known, (values - least) / spans, np.maximum(stand_in, usual)))
