"""Gateway services for tests: over the counting stub, or over nothing that answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from beaver.agent.gateway_memory import MemoryGatewayService
from beaver.client.gateway import MemoryGatewayClient
from beaver.client.jobs import PersistQueue
from beaver.config.memory import GatewaySettings

USER: Final = "maria"
KEY: Final = "uk_canary_4f1d77aa93"
NOWHERE: Final = "http://127.0.0.1:9"
NO_QUEUE: Final = "unix:///nowhere/at/all.sock"


def gateway_settings(base_url: str = NOWHERE, **settings: Any) -> GatewaySettings:
    """Settings of the test user; keyword arguments are fields by their Python names."""
    return GatewaySettings(base_url=base_url, user_id=USER, user_key=KEY, **settings)


@asynccontextmanager
async def gateway_service(
    base_url: str = NOWHERE, queue_url: str = NO_QUEUE, **settings: Any
) -> AsyncIterator[MemoryGatewayService]:
    """A service over the Gateway at `base_url` and the queue at `queue_url`; by default both are down."""
    made = gateway_settings(base_url, **settings)
    service = MemoryGatewayService(MemoryGatewayClient(made), PersistQueue.open(queue_url), made)
    try:
        yield service
    finally:
        await service.aclose()
