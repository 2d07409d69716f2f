"""What a ranking is worth, pure: recall of the evidence at ranks and within budgets of tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any, Final

from tests.bench.locomo_data import CATEGORIES, Probe

DEPTHS: Final = (5, 10, 20)
BUDGETS: Final = (1000, 2000, 4000)
LIMITS: Final = (10, 20, 100)
"""How many results are asked for: for the first depths, for the last, and for the budgets."""
CHARACTERS_PER_TOKEN: Final = 4
COLUMNS: Final = (*(f"R@{depth}" for depth in DEPTHS), "nDCG@10", *(f"in {budget}" for budget in BUDGETS))

Figures = list[float]


@dataclass(frozen=True)
class Result:
    """One result: the messages (by the evidence's keys) that it shows or was learned from, and how long its text is."""

    keys: frozenset[str]
    characters: int


def figures(found: Mapping[int, Sequence[Result]], probe: Probe) -> Figures:
    """In the order of COLUMNS, each from 0 to 1. `found` by how many were asked for, LIMITS: each figure is of the answer that
    is as long as it needs.
    """
    wanted = len(probe.evidence)
    gains = [1 / math.log2(rank + 2) for rank in range(10)]
    told = sum(gains[rank] for rank in sorted(set(_first_ranks(found[10], probe))) if rank < 10)
    return [
        *(sum(rank < depth for rank in _first_ranks(found[max(10, depth)], probe)) / wanted for depth in DEPTHS),
        told / sum(gains[:wanted]),
        *(_within(found[LIMITS[-1]], probe, budget) for budget in BUDGETS),
    ]


def lines(by_category: Mapping[str, Sequence[Figures]]) -> list[dict[str, Any]]:
    """A line for all questions and one a category, in percent."""
    every = [each for some in by_category.values() for each in some]
    named = [(name, by_category[name]) for name in CATEGORIES.values() if by_category.get(name)]
    return [line("all", every), *(line(name, some) for name, some in named)]


def line(name: str, some: Sequence[Figures]) -> dict[str, Any]:
    """The means of some questions, in percent."""
    means = (mean(column) for column in zip(*some, strict=True))
    return {
        "questions": f"{name} ({len(some)})",
        **{column: round(100 * each, 1) for column, each in zip(COLUMNS, means, strict=True)},
    }


def _first_ranks(found: Sequence[Result], probe: Probe) -> list[int]:
    """The rank at which each message of the evidence first comes."""
    ranks: dict[str, int] = {}
    for rank, result in enumerate(found):
        for key in result.keys & probe.evidence:
            ranks.setdefault(key, rank)
    return list(ranks.values())


def _within(found: Sequence[Result], probe: Probe, budget: int) -> float:
    """What does not fit is skipped; the first always comes in."""
    used, held = 0.0, set[str]()
    for rank, result in enumerate(found):
        tokens = result.characters / CHARACTERS_PER_TOKEN
        if rank == 0 or used + tokens <= budget:
            used += tokens
            held |= result.keys & probe.evidence
    return len(held) / len(probe.evidence)
