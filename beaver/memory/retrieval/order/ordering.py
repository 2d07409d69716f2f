"""The order of a snapshot's passages for one question: at once as far as the word pieces at hand let it, then with the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from beaver.memory.inference.port import Encoded
from beaver.memory.retrieval.index.memory_index import Indexed
from beaver.memory.retrieval.order import scoring
from beaver.memory.retrieval.order.maxsim import rows_to_read
from beaver.memory.retrieval.order.scoring import Matched, Ranked


@dataclass(frozen=True)
class Wanted:
    """What an order is made from: `encoded` is None where there are words alone; the answer is of `limit` passages."""

    indexed: Indexed
    matched: Matched
    encoded: Encoded | None
    limit: int
    now_ms: int

    @property
    def by_pieces(self) -> bool:
        """Whether the question has word pieces: to rank by them takes some milliseconds."""
        return self.encoded is not None and self.encoded.pieces is not None and len(self.encoded.pieces) > 0


@dataclass(frozen=True)
class Ordered:
    """Passages best first, and what they are ranked by; `missing` are those whose pieces must be read to rank them better."""

    ranked: Ranked
    by: str
    pieces: Mapping[int, bytes]
    missing: Sequence[int] = ()


def order(wanted: Wanted) -> Ordered:
    """By words, vectors and, where all that it takes are kept, word pieces."""
    snapshot, encoded = wanted.indexed.snapshot, wanted.encoded
    ranked = scoring.rank(snapshot, wanted.matched, encoded, wanted.now_ms)
    if encoded is None or ranked.cosines is None:
        return Ordered(ranked, "words", {})
    if not wanted.by_pieces:
        return Ordered(ranked, "vectors", {})
    rows = scoring.rows_by_pieces(ranked, wanted.limit)
    passage_ids = snapshot.ids[rows_to_read(snapshot, rows)].tolist()
    kept = wanted.indexed.pieces.of(passage_ids)
    missing = [each for each in passage_ids if each not in kept]
    found = Ordered(ranked, "pieces", kept, missing)
    return found if missing else with_pieces(wanted, found, {})


def with_pieces(wanted: Wanted, found: Ordered, read: Mapping[int, bytes]) -> Ordered:
    """By word pieces, those that were missing having been read."""
    assert wanted.encoded is not None  # noqa: S101 - without an encoder nothing is missing
    snapshot, pieces = wanted.indexed.snapshot, {**found.pieces, **read}
    rows = scoring.rows_by_pieces(found.ranked, wanted.limit)
    ranked = scoring.rank_by_pieces(snapshot, found.ranked, rows, wanted.encoded, pieces, wanted.now_ms)
    return Ordered(ranked, "pieces", pieces)
