"""What a turn's searches came to: what each store brought, how it did, and how long the turn waited for it."""

from __future__ import annotations

from dataclasses import dataclass

from beaver.agent.gateway_memory import RecallOutcome
from beaver.agent.policy.observer import StoreName, StoreOutcome
from beaver.agent.policy.ranking import Ranked
from beaver.agent.policy.topic import Vector
from beaver.client.gateway import RecalledItem


@dataclass(frozen=True)
class Found:
    """What the stores brought for one question; its length counts both. `local` and `remote` compare with nothing."""

    local: tuple[Ranked, ...] = ()
    remote: tuple[RecalledItem, ...] = ()

    def __len__(self) -> int:
        return len(self.local) + len(self.remote)


@dataclass(frozen=True)
class Asked:
    """How one store answered in time, and how long the turn waited for it."""

    outcome: StoreOutcome
    seconds: float
    gateway: RecallOutcome | None = None


@dataclass(frozen=True)
class Searched:
    """What was found in time, and how each store that was asked did."""

    found: Found
    asked: dict[StoreName, Asked]


@dataclass(frozen=True)
class State:
    """In which state the local store is; None where it could not be told in time. `seconds`: how long that took."""

    generation: str | None
    seconds: float


@dataclass(frozen=True)
class Meaning:
    """What a prompt means; None where that could not be told in time, or nothing tells it. `seconds`: how long that took."""

    vector: Vector | None
    seconds: float
