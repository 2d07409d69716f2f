"""The local store first, the Gateway where that finds too little: each under its deadline, neither able to fail a turn."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from beaver.agent.deadlines import Deadlines, Failed, InTime, Late
from beaver.agent.gateway_memory import Recalled, RecallFailed, RecallOutcome
from beaver.agent.policy.cache import RecallCache
from beaver.agent.policy.local import Embed
from beaver.agent.policy.observer import RecallObserver, StoreName, StoreOutcome
from beaver.agent.policy.quota import ReadQuota
from beaver.agent.policy.ranking import Ranked, Thresholds, rank
from beaver.agent.policy.searched import Asked, Found, Meaning, Searched, State
from beaver.agent.policy.stores import ItemStore, Owner
from beaver.client.gateway import RecalledItem
from beaver.clock import Clock

CANDIDATES_MAX: Final = 16
"""Hits of the local store that are ranked."""


class RemoteRecall(Protocol):
    """The Gateway's search, with an end of its own to each. Raises nothing for a condition of the world."""

    async def recall_before_run(self, session_id: str, prompt: str, *, traceparent: str | None = None) -> RecallOutcome:
        """What the Gateway remembers about the prompt."""


@dataclass(frozen=True)
class HybridTerms:
    """How long a turn waits, and when the Gateway is asked too."""

    local_deadline_s: float = 0.08
    remote_deadline_s: float = 0.3
    remote_below: float = 0.45


class HybridRecall:
    """Searches. Either store may be missing. Close it when done; the stores are their owner's."""

    def __init__(
        self,
        local: ItemStore | None,
        remote: RemoteRecall | None,
        cache: RecallCache[Found],
        *,
        thresholds: Thresholds,
        terms: HybridTerms,
        observer: RecallObserver,
        clock: Clock,
        embed: Embed | None = None,
    ) -> None:
        """`embed` is the local store's encoder."""
        self._local = local
        self._remote = remote
        self._cache = cache
        self._thresholds = thresholds
        self._terms = terms
        self._observer = observer
        self._clock = clock
        self._embed = embed
        self._deadlines = Deadlines()

    async def state(self, owner: Owner) -> State:
        """The state of the owner's local items: the same always without a local store."""
        if self._local is None:
            return State("", 0.0)
        told = await self._deadlines.within(self._terms.local_deadline_s, self._local.generation(owner), _unheeded)
        return State(told.answer if isinstance(told, InTime) else None, told.seconds)

    async def meaning(self, prompt: str, *, waited_s: float) -> Meaning:
        """What a prompt means, within what is left of the local deadline; a search after it asks the encoder the same."""
        if self._embed is None:
            return Meaning(None, 0.0)
        told = await self._deadlines.within(self._left_s(waited_s), self._embed(prompt), _unheeded)
        return Meaning(told.answer if isinstance(told, InTime) else None, told.seconds)

    async def search(
        self, owner: Owner, prompt: str, key: str | None, quota: ReadQuota, *, waited_s: float = 0.0
    ) -> Searched:
        """Ask. What comes, in time or late, is kept under `key`; without one, nothing is.

        The turn has waited `waited_s` for the local store already, which is less of its deadline.
        """
        asked: dict[StoreName, Asked] = {}
        found = Found()
        if self._local is not None:
            local, asked["local"] = await self._ask_local(self._local, owner, prompt, key, waited_s)
            found = replace(found, local=local)
        best = max((one.score for one in found.local), default=0.0)
        if self._remote is not None and best < self._terms.remote_below and quota.take():
            remote, asked["remote"] = await self._ask_remote(self._remote, owner, prompt, key)
            found = replace(found, remote=remote)
        answered = self._local is None or asked["local"].outcome in {"hit", "empty"}
        if key is not None and answered:
            self._cache.put(key, found)
        return Searched(found, asked)

    async def aclose(self) -> None:
        """Break off what is late; idempotent."""
        await self._deadlines.aclose()

    async def _ask_local(
        self, store: ItemStore, owner: Owner, prompt: str, key: str | None, waited_s: float
    ) -> tuple[tuple[Ranked, ...], Asked]:
        async def search() -> tuple[Ranked, ...]:
            hits = await store.search(owner, prompt, limit=CANDIDATES_MAX)
            return rank(hits, self._clock(), self._thresholds)

        told = await self._deadlines.within(self._left_s(waited_s), search(), lambda late: self._warm(key, local=late))
        found = told.answer if isinstance(told, InTime) else ()
        return found, self._tell("local", told, found)

    async def _ask_remote(
        self, gateway: RemoteRecall, owner: Owner, prompt: str, key: str | None
    ) -> tuple[tuple[RecalledItem, ...], Asked]:
        told = await self._deadlines.within(
            self._terms.remote_deadline_s,
            gateway.recall_before_run(owner.session, prompt),
            lambda late: self._warm(key, remote=_items(late)),
        )
        outcome = told.answer if isinstance(told, InTime) else None
        found = () if outcome is None else _items(outcome)
        return found, replace(self._tell("remote", told, found), gateway=outcome)

    def _left_s(self, waited_s: float) -> float:
        return max(0.0, self._terms.local_deadline_s - waited_s)

    def _warm(
        self,
        key: str | None,
        *,
        local: tuple[Ranked, ...] | None = None,
        remote: tuple[RecalledItem, ...] | None = None,
    ) -> None:
        """Add a late answer to what is kept under the key."""
        if key is None:
            return
        held = self._cache.find(key) or Found()
        self._cache.put(key, Found(held.local if local is None else local, held.remote if remote is None else remote))

    def _tell(self, store: StoreName, told: InTime[Any] | Late | Failed, found: Sized) -> Asked:
        match told:
            case Late():
                outcome: StoreOutcome = "late"
            case Failed():
                outcome = "failed"
            case InTime(answer=RecallFailed()):
                outcome = "failed"
            case InTime():
                outcome = "hit" if len(found) else "empty"
        self._observer.asked(store, told.seconds, outcome)
        return Asked(outcome, told.seconds)


def _items(outcome: RecallOutcome) -> tuple[RecalledItem, ...]:
    return outcome.items if isinstance(outcome, Recalled) else ()


def _unheeded(_late: object) -> None:
    """A state told too late is no longer the state, and a meaning told too late is of no use to its turn."""
