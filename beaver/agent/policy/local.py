"""What the composition fills in where a host keeps items of its own."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from beaver.agent.policy.candidates import NO_ATTRIBUTES, Attributes, RuleCapture
from beaver.agent.policy.stores import ItemStore
from beaver.agent.policy.topic import Vector

Embed = Callable[[str], Coroutine[Any, Any, Vector]]
"""What a text means to the encoder that the store finds by. Raises a BeaverError when that cannot be told now."""


@dataclass(frozen=True)
class LocalMemory:
    """The host's own store, the memory engine's rules of what is worth keeping and of what has one value at a time, and the
    store's encoder where it has one.
    """

    items: ItemStore
    capture: RuleCapture
    embed: Embed | None = None
    attributes: Attributes = NO_ATTRIBUTES
