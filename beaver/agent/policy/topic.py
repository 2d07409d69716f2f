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

OVERLAP_MIN: Final = 0.10
"""A prompt that shares less than this of its weight with the topic is about something else."""
UNHEARD: Final = 0.5
"""As how many turns no turn counts that holds a term."""
TERMS_TO_SHIFT: Final = 3
"""Fewer content terms say too little to be another topic."""


@dataclass(frozen=True)
class TopicWindow:
    """Turns of one topic since something was recalled for it: `key` is where that lies in the cache.

    `generation` is the store's at that time; `turns` counts the recall's own as the first.
    """

    key: str
    generation: str
    turns: int
    terms: Terms

    def with_turn(self, terms: Terms) -> TopicWindow:
        """The window one turn later."""
        return replace(self, turns=self.turns + 1, terms=self.terms | terms)


def is_shift(prompt: str, terms: Terms, window: TopicWindow, heard: Sequence[Terms]) -> bool:
    """Whether the prompt, of these terms, leaves the window's topic. `heard`: the session's turns, for how rare a term is."""
    if changes_topic(prompt):
        return True
    return len(terms) >= TERMS_TO_SHIFT and overlap(terms, window.terms, heard) < OVERLAP_MIN


def overlap(terms: Terms, others: Terms, heard: Sequence[Terms]) -> float:
    """The share of the terms' weight that the others hold, in [0, 1]; 0 for no terms.

    What few turns hold weighs more, and what all of them hold (a name, say) next to nothing.
    """
    held = Counter(term for turn in heard for term in turn & terms)
    weights = {term: math.log((1 + len(heard)) / (held[term] or UNHEARD)) for term in terms}
    whole = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in others) / whole if whole else 0.0
