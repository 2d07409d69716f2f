"""Late interaction, pure: how well each word piece of a question is met somewhere in a passage, or in its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from beaver.memory.embedding.packing import unpack_pieces
from beaver.memory.inference.port import Encoded
from beaver.memory.retrieval.features import Features, spread
from beaver.memory.retrieval.snapshot import NONE, Floats, Ints, Snapshot

SPREAD_MIN: Final = 0.3
_UNMET: Final = -1.0


@dataclass(frozen=True)
class Best:
    """For passages `rows` (rising) the best cosine of each of the question's pieces: (rows, pieces)."""

    rows: Ints
    met: NDArray[np.float32]


def rows_to_read(snapshot: Snapshot, rows: Ints) -> Ints:
    """These rows and their neighbours, as far as they have vectors; rising."""
    every = np.unique(np.concatenate([rows, snapshot.previous[rows], snapshot.following[rows]]))
    return np.asarray(every[(every != NONE) & (snapshot.scales[every] > 0)])


def meet(rows: Ints, packed: Sequence[bytes], question: Encoded) -> Best:
    """The best cosines of passages whose packed pieces these are, in the order of the rows; no passage is without pieces."""
    assert question.pieces is not None  # noqa: S101 - whoever has no pieces does not come here
    pieces, bounds = unpack_pieces(packed, question.pieces.shape[1])
    met = np.maximum.reduceat(pieces @ question.pieces.T, bounds[:-1], axis=0)
    return Best(rows, met)


def piece_features(snapshot: Snapshot, rows: Ints, best: Best, question: Encoded, stand_in: Floats) -> Features:
    """Features of `rows` alone. For a row without pieces `stand_in` (of these rows, in [0, 1]), but not below the usual."""
    weights, content = _weights(snapshot, question), question.content
    own, before, after = (_met(best, step) for step in (rows, snapshot.previous[rows], snapshot.following[rows]))
    known = own[:, 0] != _UNMET
    raw = own @ weights
    features = {
        "pieces": raw,
        "pieces_window": np.maximum(own, np.maximum(before, after)) @ weights,
        "pieces_content": own[:, content] @ weights[content] if content is not None and content.any() else raw,
    }
    spreaded = {
        name: _or_usual(spread(values, known, SPREAD_MIN), known, stand_in) for name, values in features.items()
    }
    return {**spreaded, "pieces_raw": np.where(known, raw, raw[known].mean() if known.any() else 0.0)}


def _weights(snapshot: Snapshot, question: Encoded) -> Floats:
    """A piece weighs the more, the fewer passages hold it; together they weigh 1."""
    assert question.piece_ids is not None  # noqa: S101 - as above
    holding = snapshot.piece_counts[question.piece_ids]
    weights = np.log(1 + max(snapshot.pieces_of, 1) / (1 + holding))
    shares: Floats = weights / max(float(weights.sum()), 1e-9)
    return shares


def _met(best: Best, rows: Ints) -> NDArray[np.float32]:
    """The best cosines of these rows; `_UNMET` for NONE and for one without pieces."""
    at = np.minimum(np.searchsorted(best.rows, rows), max(len(best.rows) - 1, 0))
    here = best.rows[at] == rows if len(best.rows) else np.zeros(len(rows), bool)
    return np.where(here[:, None], best.met[at], np.float32(_UNMET))


def _or_usual(values: Floats, known: NDArray[np.bool_], stand_in: Floats) -> Floats:
    usual = float(values[known].mean()) if known.any() else 0.0
    return np.where(known, values, np.maximum(stand_in, usual))
