"""What the composition fills in where a host keeps items of its own."""

from __future__ import annotations

from dataclasses import dataclass

from beaver.agent.policy.candidates import RuleCapture
from beaver.agent.policy.stores import ItemStore


@dataclass(frozen=True)
class LocalMemory:
    """The host's own store, and the memory engine's rules of what is worth keeping."""

    items: ItemStore
    capture: RuleCapture
