"""The topic of a conversation, pure: whether a prompt still belongs to it, and how long what was recalled for it serves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from beaver.agent.policy.phrases import changes_topic

Terms = frozenset[str]
"""Stems of content words, as `beaver.agent.providers.relevance.terms` finds them."""

Vector = Sequence[float]
"""What a text means to an encoder; of any length but zero, and of one length within a topic."""

OVERLAP_MIN: Final = 0.10
"""A prompt that shares less than this of its weight with the topic is about something else."""
LIKENESS_MIN: Final = 0.15
"""The same for the mean of its overlap with the topic and its cosine to it, where an encoder tells what both mean."""
UNHEARD: Final = 0.5
"""As how many turns no turn counts that holds a term."""
TERMS_TO_SHIFT: Final = 3
"""Fewer content terms say too little to be another topic."""


@dataclass(frozen=True)
class TopicWindow:
    """Turns of one topic since something was recalled for it: `key` is where that lies in the cache.

    `generation` is the store's at that time; `turns` counts the recall's own as the first. `meaning` is the sum of the turns'
    vectors, which points where their mean does; None where no turn has one.
    """

    key: str
    generation: str
    turns: int
    terms: Terms
    meaning: Vector | None = None

    def with_turn(self, terms: Terms, meaning: Vector | None = None) -> TopicWindow:
        """The window one turn later."""
        return replace(self, turns=self.turns + 1, terms=self.terms | terms, meaning=_together(self.meaning, meaning))


def is_shift(
    prompt: str, terms: Terms, window: TopicWindow, heard: Sequence[Terms], meaning: Vector | None = None
) -> bool:
    """Whether the prompt, of these terms and this meaning, leaves the window's topic.

    `heard`: the session's turns, for how rare a term is. Where the turn or the window has no vector, the words alone tell.
    """
    if changes_topic(prompt):
        return True
    if len(terms) < TERMS_TO_SHIFT:
        return False
    shared = overlap(terms, window.terms, heard)
    if meaning is None or window.meaning is None:
        return shared < OVERLAP_MIN
    return (cosine(meaning, window.meaning) + shared) / 2 < LIKENESS_MIN


def cosine(one: Vector, other: Vector) -> float:
    """How alike two vectors of one length point, in [-1, 1]; 0 where one points nowhere."""
    lengths = math.hypot(*one) * math.hypot(*other)
    return math.fsum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0


def overlap(terms: Terms, others: Terms, heard: Sequence[Terms]) -> float:
    """The share of the terms' weight that the others hold, in [0, 1]; 0 for no terms.

    What few turns hold weighs more, and what all of them hold (a name, say) next to nothing.
    """
    held = Counter(term for turn in heard for term in turn & terms)
    weights = {term: math.log((1 + len(heard)) / (held[term] or UNHEARD)) for term in terms}
    whole = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in others) / whole if whole else 0.0


def _together(one: Vector | None, other: Vector | None) -> Vector | None:
    if one is None or other is None:
        return one or other
    return tuple(a + b for a, b in zip(one, other, strict=True))
