"""Blocking calls that may never return, on threads that nobody must wait for: no caller past its deadline, no ending process.

asyncio keeps a handful of threads for everything. A name server that is silent holds each for half a minute: then other names
are not looked up either, no file is read, and the process cannot end.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


async def apart(call: Callable[[], T]) -> T:
    """What the call returns or raises, from a thread of its own. A cancellation leaves the thread to itself."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()
    threading.Thread(target=_work, args=(call, loop, outcome), daemon=True).start()
    return await outcome


def look_names_up_apart() -> None:
    """Have the running loop look names up so from now on, whoever asks: HTTP, Redis, PostgreSQL. Again is fine."""
    loop = asyncio.get_running_loop()
    if not isinstance(getattr(loop.getaddrinfo, "__self__", None), NameLookups):
        # All that connects comes by here, and asyncio has no other door.
        loop.getaddrinfo = NameLookups().getaddrinfo  # type: ignore[method-assign]


class NameLookups:
    """Name lookups, one thread for each name that is being looked up: who asks for it meanwhile waits for the same."""

    def __init__(self) -> None:
        self._under_way: dict[tuple[Any, ...], asyncio.Task[Any]] = {}

    async def getaddrinfo(
        self,
        host: Any,
        port: Any,
        *,
        family: int = 0,
        type: int = 0,  # noqa: A002 - asyncio's own name
        proto: int = 0,
        flags: int = 0,
    ) -> Any:
        """As `loop.getaddrinfo`. A cancellation leaves the lookup to those who still wait, and to its end."""
        asked = (host, port, family, type, proto, flags)
        lookup = self._under_way.get(asked)
        if lookup is None:
            lookup = self._under_way[asked] = asyncio.create_task(apart(partial(socket.getaddrinfo, *asked)))
            lookup.add_done_callback(partial(self._ended, asked))
        return await asyncio.shield(lookup)

    def _ended(self, asked: tuple[Any, ...], lookup: asyncio.Task[Any]) -> None:
        del self._under_way[asked]
        if not lookup.cancelled():
            # Looked at, since nobody may be waiting any more.
            lookup.exception()


def _work(call: Callable[[], T], loop: asyncio.AbstractEventLoop, outcome: asyncio.Future[T]) -> None:
    settle: Callable[[], None]
    try:
        settle = partial(outcome.set_result, call())
    # A thread's edge: whatever it is belongs to the caller.
    except Exception as error:
        settle = partial(outcome.set_exception, error)
    # A loop that has been closed meanwhile takes nothing, and nobody waits there.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(_settle, outcome, settle)


def _settle(outcome: asyncio.Future[T], settle: Callable[[], None]) -> None:
    if not outcome.done():
        settle()
