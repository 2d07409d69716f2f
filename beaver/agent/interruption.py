"""What a cancellation may cut, and what it may not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

WRITE_GRACE_S: Final = 5.0
_T = TypeVar("_T")


async def whole(write: Coroutine[Any, Any, _T]) -> _T:
    """Run a write to its end even when the caller is cancelled meanwhile; the cancellation goes on after it, or after 5 s."""
    task = asyncio.ensure_future(write)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task}, timeout=WRITE_GRACE_S)
        if task.done() and not task.cancelled():
            task.exception()  # looked at, so that asyncio does not report it as lost
        raise


@asynccontextmanager
async def cut_off_when(event: asyncio.Event, error: Exception) -> AsyncIterator[None]:
    """Cancel the body when the event is set, and raise `error` in the cancellation's place."""
    try:
        async with asyncio.timeout(None) as scope:
            watch = asyncio.create_task(_expire_when(event, scope))
            try:
                yield
            finally:
                watch.cancel()
    except TimeoutError:
        if scope.expired():
            raise error from None
        raise


async def _expire_when(event: asyncio.Event, scope: asyncio.Timeout) -> None:
    await event.wait()
    scope.reschedule(asyncio.get_running_loop().time())


@asynccontextmanager
async def closing(pieces: AsyncIterator[_T]) -> AsyncIterator[AsyncIterator[_T]]:
    """Close a stream at the end of the body, and not when the garbage collector comes by."""
    try:
        yield pieces
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()
