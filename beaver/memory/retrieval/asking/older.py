"""What of a question the full-text index is asked for, pure: as much as takes a bounded time, however large a memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from beaver.memory.retrieval.index.snapshot import Snapshot
from beaver.memory.retrieval.stems import stem_of
from beaver.memory.retrieval.terms import Term

MATCHES_MAX: Final = 500
"""How many passages one search takes from the full-text index, about 10 ms; of more the newest."""


@dataclass(frozen=True)
class RareTerms:
    """What to ask for, and in how many passages it is expected."""

    terms: Sequence[Term]
    expected: float


def terms_for_older(snapshot: Snapshot, terms: Sequence[Term], older: int) -> RareTerms:
    """The rarest terms that together stand in few enough of `older` passages, one at least; how rare, the newer ones tell.

    Names of speakers stand in all that they said: they tell nothing, unless there is nothing else.
    """
    others = [term for term in terms if not snapshot.speaking.intersection(_stems(term))] or list(terms)
    share = older / max(1, snapshot.passages)
    expected = {term: share * sum(snapshot.postings.count(stem) for stem in _stems(term)) for term in others}
    rarest_first = sorted(others, key=lambda term: expected[term])
    upto = list(accumulate(expected[term] for term in rarest_first))
    count = max(1, sum(matches <= MATCHES_MAX for matches in upto))
    return RareTerms(rarest_first[:count], upto[count - 1])


def _stems(term: Term) -> set[int]:
    return {stem for spelling in term.spellings if (stem := stem_of(spelling)) is not None}
