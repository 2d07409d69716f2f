"""Work that must not be left half done: it runs to its end even while its caller is being cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Await the work and return what it does. A cancellation that arrives meanwhile is raised once the work has ended.

    The work must be bounded in time. Its own failure is raised, unless a cancellation is.
    """
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    failure = None if task.cancelled() else task.exception()
    if cancelled is not None:
        raise cancelled
    if failure is not None:
        raise failure
    return task.result()
