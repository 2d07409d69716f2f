"""The memory engine's reading of attributes that have one value at a time, as the host's write gate uses it."""

from __future__ import annotations

from typing import Final

from beaver.agent.policy.candidates import Attributes
from beaver.memory.observations.attributes import stated_in


def _stated(text: str) -> bool:
    return bool(stated_in(text))


def _differ(one: str, other: str) -> bool:
    return any(mine.is_other_than(theirs) for mine in stated_in(one) for theirs in stated_in(other))


ATTRIBUTES: Final = Attributes(_stated, _differ)
