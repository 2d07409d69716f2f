"""Who is told how an engine's peers behave: the provider, the Gateway, the queue. Durations and outcomes, never content."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Final, Literal, Protocol, get_args

from beaver.agent.interruption import closing
from beaver.agent.messages import Completion, ProviderPiece, ProviderRequest
from beaver.agent.providers.base import Provider
from beaver.errors import BeaverError, PeerFault

Recall = Literal["hit", "empty", "failed"]
RECALLS: Final[tuple[Recall, ...]] = get_args(Recall)


class EngineObserver(Protocol):
    """Told in the runs' own time: every method returns at once and raises nothing."""

    def provider_called(self, seconds: float, outcome: str) -> None:
        """A call is over: `completed`, `cancelled`, or a code of `beaver.errors`."""

    def recalled(self, seconds: float, found: Recall) -> None:
        """A search before a run is over. A prompt that was not searched for is none."""

    def rang(self, *, queued: bool) -> None:
        """The queue was rung for a committed turn; not queued: it did not take the ring in time."""


class Unobserved:
    """The observer where nobody counts."""

    def provider_called(self, seconds: float, outcome: str) -> None:
        """Not counted."""

    def recalled(self, seconds: float, found: Recall) -> None:
        """Not counted."""

    def rang(self, *, queued: bool) -> None:
        """Not counted."""


class ObservedProvider:
    """A provider whose calls are told to an observer; all else is the provider's own."""

    def __init__(self, provider: Provider, observer: EngineObserver) -> None:
        self.name = provider.name
        self.model = provider.model
        self._provider = provider
        self._observer = observer

    async def stream(self, request: ProviderRequest) -> AsyncIterator[ProviderPiece]:
        """Answer one prompt."""
        started_at, outcome = time.monotonic(), "internal"
        try:
            async with closing(self._provider.stream(request)) as pieces:
                async for piece in pieces:
                    outcome = "completed" if isinstance(piece, Completion) else outcome
                    yield piece
            outcome = "completed" if outcome == "completed" else PeerFault.code
        except BeaverError as error:
            outcome = error.code
            raise
        # Who has its completion closes the stream there and then.
        except (asyncio.CancelledError, GeneratorExit):
            outcome = "completed" if outcome == "completed" else "cancelled"
            raise
        finally:
            self._observer.provider_called(time.monotonic() - started_at, outcome)

    async def aclose(self) -> None:
        """Give back what is open; idempotent."""
        await self._provider.aclose()
