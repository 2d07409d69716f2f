"""An event loop in a thread of its own, so that a person's line editing and a running Beaver never wait on each other.

Signals and `input()` stay with the main thread; the parts, the engine and the HTTP streams live in the loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from types import TracebackType
from typing import Any, Final, TypeVar

T = TypeVar("T")

# A cancelled coroutine tidies up within this; it drains the parts at most.
_CANCEL_WITHIN_S: Final = 90.0


class BackgroundLoop:
    """Owns the thread and its loop: `with BackgroundLoop() as background`."""

    def __enter__(self) -> BackgroundLoop:
        self._runner = asyncio.Runner()
        self._loop = self._runner.get_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="beaver")
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._runner.close()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run to the end and return the result. Ctrl-C cancels the coroutine, waits until it has tidied up, and passes on."""
        ended = threading.Event()
        future = asyncio.run_coroutine_threadsafe(_telling(coroutine, ended), self._loop)
        try:
            return future.result()
        except (KeyboardInterrupt, SystemExit):
            future.cancel()
            ended.wait(_CANCEL_WITHIN_S)
            raise

    @contextmanager
    def entered(self, manager: AbstractAsyncContextManager[T]) -> Iterator[T]:
        """An async context manager, entered and left in the loop; what is raised inside is not shown to it."""
        value = self.run(manager.__aenter__())
        try:
            yield value
        finally:
            self.run(manager.__aexit__(None, None, None))


async def _telling(coroutine: Coroutine[Any, Any, T], ended: threading.Event) -> T:
    try:
        return await coroutine
    finally:
        ended.set()
