"""The contract every provider keeps; `tests/contract/providers/` holds them all to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from beaver.agent.messages import ProviderPiece, ProviderRequest


class Provider(Protocol):
    """Answers a prompt.

    `stream` yields any number of TextDelta and then exactly one Completion whose text is the joined deltas.
    It raises Unavailable (cannot be reached; retryable), DeadlineExceeded (nothing came for the configured time),
    LimitExceeded (rate or quota), Unauthenticated, InvalidInput (the prompt was refused) or PeerFault (the answer cannot
    be read); messages hold no credential and no prompt text. Cancellation passes through and closes the connection.
    It does not retry once a piece has been yielded. Nothing is connected before the first call.
    """

    name: str
    model: str

    def stream(self, request: ProviderRequest) -> AsyncIterator[ProviderPiece]:
        """Answer one prompt."""

    async def aclose(self) -> None:
        """Give back what is open; idempotent."""
