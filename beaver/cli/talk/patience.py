"""Says that an answer is waited for, where no word of it comes for long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

SILENT_S: Final = 5
_WORDS: Final = (
    "No word yet: the model thinks, or a run before this one holds the session (one that died, for half a minute)."
)


async def awaited(answer: Awaitable[T], pieces: Sequence[str], notice: Callable[[str], None]) -> T:
    """The answer; told once of it when there are no pieces after `SILENT_S` seconds. Cancelled with whoever waits."""
    telling = asyncio.create_task(_tell(pieces, notice))
    try:
        return await answer
    finally:
        telling.cancel()


async def _tell(pieces: Sequence[str], notice: Callable[[str], None]) -> None:
    await asyncio.sleep(SILENT_S)
    if not pieces:
        notice(_WORDS)
