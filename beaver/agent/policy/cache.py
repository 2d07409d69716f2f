"""What was found for a question, for a few minutes: keyed by who asks, what is asked, and the state of the store."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Sized
from typing import Final, Generic, TypeVar

from beaver.agent.policy.stores import Owner
from beaver.agent.policy.topic import Terms

RANKING_VERSION: Final = 1
"""Raised when the same candidates would be ranked otherwise."""

Found = TypeVar("Found", bound=Sized)


def fingerprint(owner: Owner, generation: str, terms: Terms) -> str:
    """SHA-256 in hexadecimal. The order of the words does not count, nor do their endings."""
    asked = [owner.tenant, owner.project, owner.user, owner.session, RANKING_VERSION, generation, sorted(terms)]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


class RecallCache(Generic[Found]):
    """Keeps the entries used last; one that found nothing lives shorter. Times are seconds of a clock that never steps back."""

    def __init__(self, *, entries_max: int, ttl_s: float, empty_ttl_s: float, clock: Callable[[], float]) -> None:
        self._entries: OrderedDict[str, tuple[float, Found]] = OrderedDict()
        self._entries_max = entries_max
        self._ttl_s = ttl_s
        self._empty_ttl_s = empty_ttl_s
        self._clock = clock

    def find(self, key: str) -> Found | None:
        """What was found under the key, while it is fresh."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        until, found = entry
        if self._clock() >= until:
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        return found

    def put(self, key: str, found: Found) -> None:
        """Keep what was found; the entry used longest ago makes room."""
        ttl_s = self._ttl_s if len(found) else self._empty_ttl_s
        self._entries[key] = (self._clock() + ttl_s, found)
        self._entries.move_to_end(key)
        while len(self._entries) > self._entries_max:
            self._entries.popitem(last=False)
