"""How many wrong keys came from an address lately: a few more may come at once, then one every few seconds."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic
from typing import Final

AT_ONCE: Final = 20
EVERY_S: Final = 3.0
ADDRESSES_MAX: Final = 10_000


class WrongKeys:
    """Counts in this process's memory, of so many addresses at most: those that were wrong last."""

    def __init__(
        self,
        *,
        at_once: int = AT_ONCE,
        every_s: float = EVERY_S,
        addresses_max: int = ADDRESSES_MAX,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._ahead_s = at_once * every_s
        self._every_s = every_s
        self._addresses_max = addresses_max
        self._clock = clock
        # Until when each address has used up what it may: it must not lie further ahead than the whole allowance.
        self._used_until: OrderedDict[str, float] = OrderedDict()

    def were_too_many(self, address: str) -> bool:
        """Whether a further one is more than the address may send now."""
        return self._used_until.get(address, 0.0) + self._every_s > self._clock() + self._ahead_s

    def note(self, address: str) -> None:
        """One more has come from there."""
        used_until = self._used_until.pop(address, 0.0)
        self._used_until[address] = max(used_until, self._clock()) + self._every_s
        if len(self._used_until) > self._addresses_max:
            self._used_until.popitem(last=False)
