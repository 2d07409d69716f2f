"""Asks the configured Memory Gateway, wherever it runs, whether it answers and knows the configured user."""

from __future__ import annotations

from typing import Final

from beaver.cli.part_finding import PartFinding
from beaver.client.gateway import GatewayCallError, MemoryGatewayClient
from beaver.config.memory import GatewaySettings, gateway_of
from beaver.config.settings import Settings

MEMORY_GATEWAY: Final = "Memory Gateway"
STARTED_BY_UP: Final = "`beaver up` starts it."
_STEP_OF_EARLIER: Final = (
    "Check userId and userKey in memory.gateway.earlierUsers; `beaver queue drop` gives up what cannot be delivered."
)


async def look_at_memory_gateway(settings: Settings) -> PartFinding:
    """One search for each user that is configured, within the deadline of any other. It finds nothing, since what is found counts
    as used.
    """
    gateway = gateway_of(settings.memory)
    if gateway is None:
        return PartFinding("ok", MEMORY_GATEWAY, "is not used in this memory mode")
    now, *earlier = gateway.of_each_user()
    if error := await _fault(now):
        return PartFinding("warning", MEMORY_GATEWAY, _message(error), _step(error))
    for each in earlier:
        if error := await _fault(each):
            return PartFinding("warning", MEMORY_GATEWAY, _message_of_earlier(each, error), _STEP_OF_EARLIER)
    known = "this user" if not earlier else "this user, and those of earlierUsers"
    return PartFinding("ok", MEMORY_GATEWAY, f"answers at {gateway.base_url} and knows {known}")


async def _fault(gateway: GatewaySettings) -> GatewayCallError | None:
    client = MemoryGatewayClient(gateway.model_copy(update={"scope": ("current_chat",)}))
    try:
        await client.search("beaver-check", "beaver check")
    except GatewayCallError as error:
        return error
    finally:
        await client.aclose()
    return None


def _message_of_earlier(gateway: GatewaySettings, error: GatewayCallError) -> str:
    return f"does not take the earlier user {gateway.user_id} ({error}); what was made for it does not arrive meanwhile"


def _message(error: GatewayCallError) -> str:
    if error.category == "unauthorized":
        return f"does not take this user and key ({error}); nothing is recalled or kept meanwhile"
    return f"{error}; answers come without recall meanwhile"


def _step(error: GatewayCallError) -> str:
    if error.category == "unauthorized":
        return (
            "Check memory.gateway.userId and memory.gateway.userKey: a new database knows nobody. `beaver gateway users add ID` "
            "makes a user and prints the key; put both into .beaver/config.json, then start Beaver again."
        )
    if error.category == "connect_failed":
        return f"{STARTED_BY_UP} If it runs elsewhere, check memory.gateway.baseUrl."
    return "Look in the Gateway's log (.beaver/logs/gateway.log, if it is this folder's)."
