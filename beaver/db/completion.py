"""Work that must not be left half done: it runs to its end even while its caller is being cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Await the work and return what it does. A cancellation that arrives meanwhile is raised once the work has ended.

    The work must be bounded in time. Its own failure is raised, unless a cancellation is.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})
        if not task.cancelled():
            # Looked at, so that nobody reports it as missed.
            task.exception()
        raise
