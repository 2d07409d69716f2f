"""The end of a worker: what is in flight finishes within a bound, then arq's loop ends, for certain.

arq cancels its loop once. Before Python 3.12 `asyncio.wait_for`, which the Redis client sends through, loses a cancellation
that arrives at the moment the send completes; a loop that missed its only one would poll for ever.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from arq.worker import Worker

INSIST_EVERY_S: Final = 0.1


async def drain(worker: Worker, drain_s: float) -> None:
    """Take up nothing more, and let the turns in flight end; those that need longer than `drain_s` are cancelled."""
    worker.allow_pick_jobs = False
    give_up = time.monotonic() + drain_s
    while running := _running(worker):
        left_s = give_up - time.monotonic()
        if left_s <= 0:
            break
        await asyncio.wait(running, timeout=left_s)
    for task in _running(worker):
        task.cancel()


async def end(task: asyncio.Task[Any]) -> None:
    """Cancel a task until it has ended; what it ended with stays in the task."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=INSIST_EVERY_S)


@asynccontextmanager
async def ending_for_certain(worker: Worker, loop: asyncio.Task[Any]) -> AsyncIterator[None]:
    """For arq's own command, which drains by itself: once that is done, its loop ends even if its cancellation got lost."""

    async def insist() -> None:
        while worker.allow_pick_jobs or _running(worker):  # noqa: ASYNC110 - arq offers no event to wait for
            await asyncio.sleep(INSIST_EVERY_S)
        await end(loop)

    insisting = asyncio.create_task(insist())
    try:
        yield
    finally:
        await end(insisting)


def _running(worker: Worker) -> list[asyncio.Task[Any]]:
    return [task for task in worker.tasks.values() if not task.done()]
