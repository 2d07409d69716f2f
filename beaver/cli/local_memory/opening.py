"""Opens the local store that the configuration asks for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from beaver.config.embedding import EmbeddingSettings
from beaver.config.settings import Settings
from beaver.errors import Unavailable
from beaver.logs import get_logger

if TYPE_CHECKING:
    from beaver.agent.policy.local import LocalMemory


async def open_local_store(settings: Settings) -> LocalMemory | None:
    """The host's own store with the engine's rules; None where `memory.policy.localStore` is off.

    Raises Unavailable when its database cannot serve.
    Where the encoder cannot be had, that is said, and words alone find.
    """
    policy = settings.memory_policy
    if not policy.local_store:
        return None
    # The engine is imported by those alone who asked for it: it brings numpy.
    from beaver.agent.policy.local import LocalMemory
    from beaver.cli.local_memory.attributes import ATTRIBUTES
    from beaver.cli.local_memory.capture import rule_capture
    from beaver.cli.local_memory.expiry import ExpiredItems
    from beaver.cli.local_memory.meaning import embed_with
    from beaver.cli.local_memory.store import LocalItemStore
    from beaver.memory.inference.encoders import encoder_of
    from beaver.memory.runtime import MemoryRuntime

    encoder = None
    try:
        encoder = await asyncio.to_thread(encoder_of, EmbeddingSettings(provider=policy.embedding))
    except Unavailable as error:
        get_logger().warning("items.encoder_unavailable", reason=str(error))
    runtime = await MemoryRuntime.open(settings.items_url, encoder=encoder)
    expired = ExpiredItems(runtime)
    expired.start()
    return LocalMemory(LocalItemStore(runtime, expired), rule_capture, embed_with(encoder), ATTRIBUTES)
