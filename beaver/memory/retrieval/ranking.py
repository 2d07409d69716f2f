"""Ranking, pure: how well a passage answers the terms, as a score in [0, 1] that can be compared within one query.

The score does not use the index's own BM25, whose word frequencies span all users and which gives nothing to a word that
most of a small memory holds. Here frequencies come from the caller's own candidates.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import takewhile
from typing import Any, Final

import numpy as np

from beaver.memory.retrieval.terms import Term
from beaver.text import is_unspaced

RELEVANCE_MIN: Final = 0.12
"""Passages whose keyword score is below this are not answered: an unrelated query returns nothing."""

RECENCY_SHARE: Final = 0.05
"""How much of the score is recency: it decides between equals."""

MARK_OPEN: Final = "\x02"
MARK_CLOSE: Final = "\x03"

TERMS_OF_A_FULL_ANSWER: Final = 6
"""A long prompt asks for many things at once: a passage that holds the weight of so many terms answers it in full."""
SATURATION: Final = 0.9
"""BM25's k1."""
ABSENT_PAIR_SHARE: Final = 0.6
"""What a pair of characters weighs that no passage holds: many pairs are but the end of a word and the next's start."""

_PRESENCE_SHARE: Final = 0.6  # of a term's weight: for its being there at all, however often
_LENGTH_SHARE: Final = 0.4  # BM25's b
_DAY_MS: Final = 86_400_000


@dataclass(frozen=True)
class Candidate:
    """A passage that holds at least one term: of the message named, or else of a document.

    `marked` is its index text, each matching word between MARK_OPEN and MARK_CLOSE.
    """

    passage_id: int
    message_id: str | None
    observed_ms: int
    marked: str


@dataclass(frozen=True)
class Ranked:
    """A passage to answer. `copies` counts the passages of the same words that it stands for."""

    candidate: Candidate
    score: float
    keyword: float
    recency: float
    copies: int


def rank(
    candidates: Sequence[Candidate], terms: Sequence[Term], *, passages: int, now_ms: int, limit: int
) -> list[Ranked]:
    """The best `limit` candidates, best first; one a message, and one for passages of the same words.

    `passages` is the number of passages of the namespace (or a lower bound of it).
    """
    term_of = cache(partial(_nearest_term, terms))
    found = {candidate.passage_id: _occurrences(candidate.marked, term_of) for candidate in candidates}
    weights = _weights(found.values(), terms, passages)
    mean_length = sum(_length(candidate) for candidate in candidates) / max(1, len(candidates))
    ranked = []
    for candidate in candidates:
        keyword = _keyword(found[candidate.passage_id], weights, _length(candidate) / mean_length)
        if keyword >= RELEVANCE_MIN:
            recency = float(recency_at(candidate.observed_ms, now_ms))
            score = (1 - RECENCY_SHARE) * keyword + RECENCY_SHARE * recency
            ranked.append(Ranked(candidate, score, keyword, recency, copies=1))
    ranked.sort(key=lambda one: (-one.score, -one.candidate.observed_ms, -one.candidate.passage_id))
    return _without_copies(ranked)[:limit]


def recency_at(observed_ms: Any, now_ms: int) -> Any:
    """1 for now (or a time ahead of our clock), ½ for a day ago, falling on. Of one time, or of an array of times."""
    return 1 / (1 + np.maximum(0, now_ms - observed_ms) / _DAY_MS)


def _nearest_term(terms: Sequence[Term], word: str) -> Term:
    """The term that a marked word answers. The index stems, so it is the one that begins most alike."""
    return max(terms, key=lambda term: _likeness(word, term))


def _likeness(word: str, term: Term) -> tuple[int, int]:
    return max((_begins_alike(word, spelling), -abs(len(word) - len(spelling))) for spelling in term.spellings)


def _begins_alike(one: str, other: str) -> int:
    """How many characters the two have in common from the start."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in alike)


def _occurrences(marked: str, term_of: Callable[[str], Term]) -> Counter[Term]:
    """How often a passage holds each term."""
    return Counter(term_of(piece.partition(MARK_CLOSE)[0]) for piece in marked.split(MARK_OPEN)[1:])


def _weights(found: Iterable[Counter[Term]], terms: Sequence[Term], passages: int) -> Mapping[Term, float]:
    """A term weighs the more, the fewer passages hold it; one that all hold still weighs something."""
    holding: Counter[Term] = Counter(term for counts in found for term in counts)
    shares = {
        term: 1.0 if holding[term] or not is_unspaced(term.spellings[0][0]) else ABSENT_PAIR_SHARE for term in terms
    }
    return {term: shares[term] * math.log(1 + max(passages, holding[term], 1) / (1 + holding[term])) for term in terms}


def _keyword(counts: Counter[Term], weights: Mapping[Term, float], relative_length: float) -> float:
    """The share of the weight asked for that the passage holds.

    A long prompt asks for many things at once: a passage that holds the weight of six terms answers it in full.
    """
    pairs = 2 * sum(is_unspaced(term.spellings[0][0]) for term in weights) > len(weights)
    full = full_weight(weights.values(), pairs=pairs)
    held = sum(weights[term] * strength(count, relative_length) for term, count in counts.items())
    return float(min(1.0, held / full))


def full_weight(weights: Iterable[float], *, pairs: bool) -> float:
    """What a passage that answers in full holds of these terms' weights; of pairs of characters a word is two."""
    most = TERMS_OF_A_FULL_ANSWER * (2 if pairs else 1)
    return sum(sorted(weights, reverse=True)[:most])


def strength(count: Any, relative_length: Any) -> Any:
    """Mostly that a word is there; a little more when it is there often or in few words. Of one passage, or of an array."""
    return _PRESENCE_SHARE + (1 - _PRESENCE_SHARE) * count / (count + damping(relative_length))


def damping(relative_length: Any) -> Any:
    """How many times more a word must be there to count for much, by the passage's length over the mean, as in BM25."""
    return SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * relative_length)


def _length(candidate: Candidate) -> int:
    return candidate.marked.count(" ") + 1


def _without_copies(ranked: Sequence[Ranked]) -> list[Ranked]:
    """The first of each message and of each wording, in the order given."""
    kept: dict[tuple[bool, str], Ranked] = {}
    seen_messages: set[str] = set()
    for one in ranked:
        message_id = one.candidate.message_id
        wording = (message_id is None, one.candidate.marked)
        if wording in kept:
            kept[wording] = replace(kept[wording], copies=kept[wording].copies + 1)
        elif message_id not in seen_messages:
            kept[wording] = one
            seen_messages |= {message_id} if message_id is not None else set()
    return list(kept.values())
