"""What reached the Gateway although it had been deleted here meanwhile is forgotten there, sooner or later.

By the ids of its own messages and not by their session, which may have been begun anew under the same id, and of which the
Gateway may hold what it got before the deletion.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from beaver.client.gateway import GatewayCallError
from beaver.config.memory import MemoryOwner
from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.logs import get_logger
from beaver.outbox.audit import IDENTITY_MISMATCH
from beaver.outbox.distilled.schedule import Fault, may_help
from beaver.outbox.withdrawals import KEPT_MS, Withdrawal, WithdrawalStore
from worker.clients import GatewayClients

NO_IDS: Final = "no_ids"
_GONE: Final = 404
_AT_ONCE: Final = 8


@dataclass
class _Tried:
    """What came of some withdrawals: `ended` are forgotten, or `lost` to a person; `waiting` are to be tried again."""

    ended: list[Withdrawal] = field(default_factory=list)
    waiting: list[Withdrawal] = field(default_factory=list)
    lost: Fault | None = None
    away: Fault | None = None


@dataclass(frozen=True)
class Withdrawer:
    """Has the Gateway forget messages: noted first, so that a worker that dies, or a Gateway that is away, only delays it."""

    database: Database
    store: WithdrawalStore
    clients: GatewayClients

    async def withdraw(self, owner: MemoryOwner, message_ids: Sequence[str], **whose: str) -> None:
        """Have each message forgotten, now or later, and log it with `whose` they were.

        What stands there for good is a warning, for a person: also where no ids are known, so that nothing can be asked for.
        """
        if not message_ids:
            _warn("persist.not_withdrawn", Fault(NO_IDS), whose)
            return
        await self._try(await self._noted(owner, message_ids), whose)

    async def again(self) -> None:
        """Try what is due. Raises Unavailable when the database cannot serve; nothing is lost by that."""
        async with self.database.read() as tx:
            if not await self.store.any_due(tx):
                return
        async with self.database.write() as tx:
            due = await self.store.take_due(tx)
        if due:  # nobody was quicker
            await self._try(due, {})

    async def _noted(self, owner: MemoryOwner, message_ids: Sequence[str]) -> list[Withdrawal]:
        """Where the database cannot serve, this attempt is the only one."""
        try:
            async with self.database.write() as tx:
                return await self.store.note(tx, owner, message_ids)
        except Unavailable:
            return [Withdrawal(0, owner, each, attempt=1, age_ms=KEPT_MS) for each in message_ids]

    async def _try(self, some: Sequence[Withdrawal], whose: Mapping[str, str]) -> None:
        tried, places = _Tried(), asyncio.Semaphore(_AT_ONCE)
        await asyncio.gather(*(self._one(each, tried, places) for each in some))
        _tell(tried, whose)
        async with self.database.write() as tx:
            await self.store.end(tx, tried.ended)
            await self.store.wait(tx, tried.waiting)

    async def _one(self, one: Withdrawal, tried: _Tried, places: asyncio.Semaphore) -> None:
        """A Gateway that is away is not asked for each of them."""
        async with places:
            fault = tried.away or await self._fault(one)
        if fault is None:
            tried.ended.append(one)
            return
        if may_help(fault):
            tried.away = fault
        if one.is_last or not (may_help(fault) or fault.category == IDENTITY_MISMATCH):
            tried.lost = fault
            tried.ended.append(one)
        else:
            tried.waiting.append(one)

    async def _fault(self, one: Withdrawal) -> Fault | None:
        client = self.clients.find(one.owner)
        if client is None:
            return Fault(IDENTITY_MISMATCH)
        try:
            await client.forget(one.message_id)
        except GatewayCallError as error:
            # An attempt before this one may have been carried out though its answer was lost.
            gone = error.status == _GONE and one.attempt > 1
            return None if gone else Fault(error.category, error.status, error.retry_after_s)
        return None


def _tell(tried: _Tried, whose: Mapping[str, str]) -> None:
    if tried.lost is not None:
        _warn("persist.not_withdrawn", tried.lost, whose)
    elif tried.waiting:
        _warn("persist.withdrawal_waits", tried.away or Fault(IDENTITY_MISMATCH), whose)
    else:
        get_logger().info("persist.withdrawn", messages=len(tried.ended), **whose)


def _warn(event: str, fault: Fault, whose: Mapping[str, str]) -> None:
    get_logger().warning(event, category=fault.category, http_status=fault.status, **whose)
