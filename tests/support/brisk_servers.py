"""uvicorn in this process without its pauses: it looks every 0.1 s whether it shall end, and waits as long again while it ends.

That was most of the time of most tests that have a server. It ends by the same steps; processes of their own are as ever.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import pytest
import uvicorn.server

PAUSE_S: Final = 0.005


class _Brisk:
    """asyncio, as uvicorn's server sees it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        """At most PAUSE_S."""
        await asyncio.sleep(min(seconds, PAUSE_S))


def hurry(patch: pytest.MonkeyPatch) -> None:
    """From now on, until the patch is undone."""
    patch.setattr(uvicorn.server, "asyncio", _Brisk())
