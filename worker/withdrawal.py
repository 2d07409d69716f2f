"""What reached the Gateway although it had been deleted here meanwhile is forgotten there.

By the ids of its own messages and not by their session, which may have been begun anew under the same id, and of which the
Gateway may hold what it got before the deletion.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from beaver.client.gateway import GatewayCallError, MemoryGatewayClient
from beaver.logs import get_logger

NO_IDS = "no_ids"


async def withdraw(client: MemoryGatewayClient, message_ids: Sequence[str], **whose: str) -> None:
    """Have the Gateway forget each message, once, and log it with `whose` they were.

    What may stand there afterwards is a warning, for a person: also where no ids are known, so that nothing can be asked for.
    """
    ends = await asyncio.gather(*(_forget(client, each) for each in message_ids))
    failed = [end for end in ends if end is not None]
    if message_ids and not failed:
        get_logger().info("persist.withdrawn", messages=len(message_ids), **whose)
        return
    category, status = (failed[0].category, failed[0].status) if failed else (NO_IDS, None)
    get_logger().warning("persist.not_withdrawn", category=category, http_status=status, **whose)


async def _forget(client: MemoryGatewayClient, message_id: str) -> GatewayCallError | None:
    try:
        await client.forget(message_id)
    except GatewayCallError as error:
        return error
    return None
