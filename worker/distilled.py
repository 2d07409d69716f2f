"""Items of the host's memory on their way to the Gateway: claim a batch, send it, record; again, later, or never.

Unlike a turn's add, a batch whose outcome is unknown is sent again, under the same idempotency key.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from beaver.client.gateway import GatewayCallError, MemoryGatewayClient
from beaver.config.memory import GatewaySettings
from beaver.db.engine import Database
from beaver.ids import new_id
from beaver.logs import get_logger
from beaver.outbox.audit import IDENTITY_MISMATCH
from beaver.outbox.distilled.records import Batch
from beaver.outbox.distilled.schedule import BATCH_WAIT_MS, JITTER, Fault, GivenUp, after
from beaver.outbox.distilled.store import DistilledStore
from beaver.schemas.gateway import GatewayMessage
from worker.clients import GatewayClients
from worker.timing import CLAIM_MARGIN_S, LEDGER_S, Timing
from worker.withdrawal import Withdrawer

ITEMS_SESSION: Final = "distilled-items"
"""The Gateway's session of all items: they hold beyond the chat that they were learned in."""


@dataclass(frozen=True)
class DistilledCourier:
    """Sends items. Share it between the jobs of one process: the ledger says whose a batch is."""

    database: Database
    store: DistilledStore
    clients: GatewayClients
    withdrawer: Withdrawer
    gateway: GatewaySettings
    holder: str
    draining: Callable[[], bool]
    timing: Timing

    async def deliver(self) -> int:
        """Send what is due, batch after batch, as long as a job may take; how many batches there were.

        New items are waited for until they may go. Raises Unavailable when the ledger cannot be read or written; a claimed
        batch is then sent again once its claim has run out.
        """
        give_up = time.monotonic() + self.timing.job_timeout_s - self.gateway.timeout_seconds - LEDGER_S
        await self._ready()
        batches = 0
        while time.monotonic() < give_up and (batch := await self._claim()) is not None:
            await self._send(batch)
            batches += 1
        return batches

    async def _ready(self) -> None:
        """Tidy up, so that nothing is left of what expired, and wait until the first item may go, if that is soon."""
        async with self.database.write() as tx:
            lost = await self.store.release_lost(tx)
            await self.store.forget_sent(tx)
            over = await self.store.erase_expired(tx)
            wait_ms = await self.store.next_due_ms(tx)
        if lost:
            get_logger().warning("distilled.claims_lost", items=lost)
        if over:
            get_logger().info("distilled.expired", items=over)
            # SQLite's log holds their words yet.
            await self.database.empty_log()
        if wait_ms is not None and wait_ms <= BATCH_WAIT_MS:
            await asyncio.sleep(wait_ms / 1000)

    async def _claim(self) -> Batch | None:
        if self.draining():
            return None
        claim_ms = round((self.gateway.timeout_seconds + LEDGER_S + CLAIM_MARGIN_S) * 1000)
        async with self.database.write() as tx:
            return await self.store.claim(tx, self.holder, new_id("batch"), claim_ms=claim_ms)

    async def _send(self, batch: Batch) -> None:
        client = self.clients.find(batch.owner)
        if client is None:
            await self._failed(batch, Fault(IDENTITY_MISMATCH))
            return
        try:
            message_ids = await _add(client, batch)
        except GatewayCallError as error:
            await self._failed(batch, Fault(error.category, error.status, error.retry_after_s))
        else:
            await self._sent(batch, message_ids)

    async def _sent(self, batch: Batch, message_ids: Sequence[str]) -> None:
        """Record it; what was forgotten here while it was sent, the Gateway is to forget too."""
        async with self.database.write() as tx:
            await self.store.sent(tx, batch, self.holder)
            left = await self.store.standing(tx, [item.key for item in batch.items])
        get_logger().info("distilled.sent", items=len(batch.items), attempt=batch.attempt)
        gone = [number for number, item in enumerate(batch.items) if item.key not in left]
        if gone:
            known = len(message_ids) == len(batch.items)
            there = [message_ids[number] for number in gone] if known else ()
            await self.withdrawer.withdraw(batch.owner, there, batch=batch.id)

    async def _failed(self, batch: Batch, fault: Fault) -> None:
        then = after(fault, batch.attempt, random.uniform(*JITTER))  # noqa: S311 - jitter, not a secret
        async with self.database.write() as tx:
            await self.store.failed(tx, batch, self.holder, fault, then)
        get_logger().warning(
            "distilled.dead" if isinstance(then, GivenUp) else "distilled.failed",
            items=len(batch.items),
            attempt=batch.attempt,
            category=fault.category,
            http_status=fault.status,
        )


async def _add(client: MemoryGatewayClient, batch: Batch) -> tuple[str, ...]:
    return await client.add(
        session_id=ITEMS_SESSION,
        messages=[_message(batch.user_id, item.created_ms, item.content) for item in batch.items],
        idempotency_key=batch.idempotency_key,
    )


def _message(user_id: str, created_ms: int, content: str) -> GatewayMessage:
    return GatewayMessage(sender_id=user_id, role="user", timestamp=max(created_ms, 1), content=content)
