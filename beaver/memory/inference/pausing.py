"""A service that fails is left alone for a while: who needs it does without at once, and nobody waits for each deadline anew."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from beaver.errors import Unavailable
from beaver.memory.inference.port import AskedToWait, LanguageModel

FIRST_S: Final = 5.0
MAX_S: Final = 60.0
"""After failures alone; a service that says itself how long is left alone for that long."""


class Pause:
    """5 s after a failure, twice as long after each further one, a minute at most. One that says so itself is believed."""

    def __init__(self, what: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        """`what` names the service in errors."""
        self._what = what
        self._monotonic = monotonic
        self._until = 0.0
        self._next_s = FIRST_S

    @contextmanager
    def around_call(self) -> Iterator[None]:
        """A call of the service. Raises AskedToWait while it is left alone."""
        left_s = self._until - self._monotonic()
        if left_s > 0:
            raise AskedToWait(f"{self._what}: left alone after a failure", left_s)
        try:
            yield
        except Unavailable as fault:
            self.failed(fault)
            raise
        self._next_s = FIRST_S

    def failed(self, fault: Unavailable) -> None:
        """Note a failure; of calls that were under way together the first one counts."""
        now = self._monotonic()
        if isinstance(fault, AskedToWait):
            self._until = max(self._until, now + fault.retry_after_s)
        elif now >= self._until:
            self._until, self._next_s = now + self._next_s, min(2 * self._next_s, MAX_S)


class PausingModel:
    """A language model that is left alone while it fails."""

    def __init__(self, inner: LanguageModel, pause: Pause) -> None:
        self._inner = inner
        self._pause = pause

    async def complete(self, system: str, prompt: str, *, timeout_s: float) -> str:
        """As the inner one."""
        with self._pause.around_call():
            return await self._inner.complete(system, prompt, timeout_s=timeout_s)
