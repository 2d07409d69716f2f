"""How well words match, pure: BM25 of passages, their surroundings and segments; frequencies are of this memory alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from beaver.memory.retrieval.index.postings import each_once
from beaver.memory.retrieval.index.snapshot import NONE, Floats, Ints, Snapshot
from beaver.memory.retrieval.ranking import ABSENT_PAIR_SHARE, SATURATION, damping, full_weight, strength

WINDOW: Final = 3
"""How many passages before and after make a passage's surroundings."""


@dataclass(frozen=True)
class Lexical:
    """Of each row: BM25 of it, its window and its segment; `coverage`, the share of what is asked for that it holds (by how
    rare that is), and `keyword`, the same in [0, 1] with how often: an absolute measure.
    """

    passage: Floats
    window: Floats
    segment: Floats
    coverage: Floats
    keyword: Floats


def match_words(snapshot: Snapshot, terms: Sequence[tuple[int, ...]], *, pairs: bool = False) -> Lexical:
    """Scores of every row for the stems asked for, each term by its spellings. `pairs`: they are pairs of characters."""
    absent_share = ABSENT_PAIR_SHARE if pairs else 1.0
    rows, relative_length = snapshot.rows, snapshot.relative_lengths
    passages = snapshot.passages
    passage, window, segment = np.zeros(rows), np.zeros(rows), np.zeros(snapshot.segments)
    coverage, keyword = np.zeros(rows), np.zeros(rows)
    weights, rarities = [], []
    for spellings in terms:
        holders, counts = _holders(snapshot, spellings)
        weight = math.log(1 + max(passages, 1) / (1 + len(holders)))
        weights.append(weight if len(holders) else weight * absent_share)
        rarities.append(_rarity(passages, len(holders)))
        if not len(holders):
            continue
        passage[holders] += rarities[-1] * _saturated(counts, relative_length[holders])
        coverage[holders] += rarities[-1]
        keyword[holders] += weights[-1] * strength(counts, relative_length[holders])
        _add(window, _near(snapshot, holders, counts), snapshot.relative_windows, passages)
        in_segments = np.bincount(snapshot.segment[holders], counts, snapshot.segments)
        _add(segment, in_segments, snapshot.relative_segments, snapshot.inhabited)
    full = full_weight(weights, pairs=pairs)
    return Lexical(
        passage,
        window,
        segment[snapshot.segment],
        coverage / max(sum(rarities), 1e-9),
        np.minimum(1.0, keyword / max(full, 1e-9)),
    )


def _holders(snapshot: Snapshot, spellings: tuple[int, ...]) -> tuple[Ints, Floats]:
    """The rows that hold a term in any spelling, and how often."""
    found = [snapshot.postings.of(stem) for stem in spellings]
    if len(found) == 1:
        return found[0][0], found[0][1].astype(np.float64)
    rows = each_once(np.concatenate([rows for rows, _ in found]))
    counts = np.zeros(len(rows))
    for those, many in found:
        at = np.searchsorted(rows, those)
        counts[at] = np.maximum(counts[at], many)  # `muller` and `mueller` stand there for one word
    return rows, counts


def _near(snapshot: Snapshot, holders: Ints, counts: Floats) -> Any:
    """How often the term stands in each row's window."""
    rows, many = [holders], [counts]
    for step in (snapshot.previous, snapshot.following):
        reached, left = holders, counts
        for _ in range(WINDOW):
            reached = step[reached]
            inside = reached != NONE
            reached, left = reached[inside], left[inside]
            rows.append(reached)
            many.append(left)
    return np.bincount(np.concatenate(rows), np.concatenate(many), snapshot.rows)


def _add(scores: Floats, counts: Any, relative_lengths: Floats, documents: int) -> None:
    """Add one term's BM25 to the scores of so many documents of these lengths."""
    holding = np.flatnonzero(counts)
    rarity = _rarity(documents, len(holding))
    scores[holding] += rarity * _saturated(counts[holding], relative_lengths[holding])


def _rarity(documents: int, holding: int) -> float:
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def _saturated(counts: Floats, relative_length: Floats) -> Any:
    return counts * (SATURATION + 1) / (counts + damping(relative_length))
