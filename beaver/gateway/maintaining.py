"""The Gateway's own maintenance: when it starts, and then now and then, for as long as it serves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from beaver.config.retention import RetentionSettings
from beaver.logs import get_logger
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.upkeep.policy import RetentionPolicy


def policy_of(settings: RetentionSettings) -> RetentionPolicy:
    """The engine's policy for a configuration."""
    return RetentionPolicy(
        compress_after_days=settings.compress_after_days,
        archive_after_days=settings.archive_after_days,
        delete_after_days=settings.delete_after_days,
        cluster_min=settings.cluster_min,
        rows_a_run_max=settings.max_rows_per_run,
    )


@asynccontextmanager
async def maintained(runtime: MemoryRuntime, settings: RetentionSettings) -> AsyncIterator[None]:
    """Maintain the memory beside the block, where that is enabled; a run under way is ended between two of its acts."""
    if not settings.enabled:
        yield
        return
    task = asyncio.create_task(_maintain(runtime, policy_of(settings), settings.interval_minutes * 60), name="upkeep")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _maintain(runtime: MemoryRuntime, policy: RetentionPolicy, every_s: float) -> None:
    while True:
        try:
            await runtime.maintain(policy)
        # Also a bug must not end it: the memory would fill, and nobody would be told before the next start.
        except Exception as error:
            get_logger().warning("upkeep.failed", reason=type(error).__name__, exc_info=error)
        await asyncio.sleep(every_s)
