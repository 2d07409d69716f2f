"""The way of kept items to the Gateway: into the durable outbox with the turn's own bookkeeping, then one ring."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from beaver.agent.policy.stores import NewItem, Owner
from beaver.client.jobs import PersistQueue
from beaver.clock import Clock, system_clock
from beaver.config.memory import GatewaySettings
from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.outbox.distilled.records import NewDistilled
from beaver.outbox.distilled.schedule import BATCH_WAIT_MS, item_key
from beaver.outbox.distilled.store import DistilledStore
from beaver.schemas.jobs import DistilledJob

REMOTE_WRITES_MAX: Final = 15
"""Items sent per rolling 100 turns of a user."""


class DistilledLane:
    """Enters items for one user of the Gateway. It owns the queue's connections."""

    def __init__(
        self, dialect: SqlDialect, queue: PersistQueue, gateway: GatewaySettings, clock: Clock = system_clock
    ) -> None:
        self._store = DistilledStore(dialect)
        self._queue = queue
        self._gateway = gateway
        self._clock = clock

    async def enter(self, tx: Transaction, owner: Owner, run_id: str, item_id: str, item: NewItem) -> bool:
        """Enter an item in the caller's transaction; False where it is there already."""
        new = NewDistilled(
            key=item_key(owner.session, run_id, item.text),
            tenant=self._gateway.app_id,
            project=self._gateway.project_id,
            user_id=self._gateway.user_id,
            session_id=owner.session,
            run_id=run_id,
            item_id=item_id,
            content=item.text,
            expires_ms=item.expires_ms,
        )
        return await self._store.insert(tx, new)

    async def withdraw(self, tx: Transaction, item_ids: Collection[str]) -> None:
        """Have what these items said before not sent any more."""
        await self._store.withdraw(tx, item_ids)

    async def ring(self) -> bool:
        """Ring once, after the commit; False means that a worker's sweeper will find what waits."""
        return await self._queue.ring_distilled(DistilledJob(number=self._clock() // BATCH_WAIT_MS))

    async def aclose(self) -> None:
        """Close the queue's connections; idempotent."""
        await self._queue.aclose()
