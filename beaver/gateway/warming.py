"""The local encoder is loaded when the Gateway starts: else the first search would wait a third of a second for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from beaver.config.embedding import EncoderProvider
from beaver.errors import BeaverError
from beaver.memory.inference.port import Encoder


@asynccontextmanager
async def warmed(encoder: Encoder | None, provider: EncoderProvider) -> AsyncIterator[None]:
    """Ask the local encoder a question beside the block. A service is not asked what nobody wants to know."""
    if encoder is None or provider != "local":
        yield
        return
    task = asyncio.create_task(_ask(encoder), name="warming")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _ask(encoder: Encoder) -> None:
    with suppress(BeaverError):  # the search that needs it will say so
        await encoder.encode_question("Is anybody there?")
