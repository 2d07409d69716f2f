"""One turn's way to the Gateway: claim, add once, record, flush once, record. The ledger decides, not the queue."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_exponential_jitter

from beaver.client.gateway import GatewayCallError, MemoryGatewayClient
from beaver.client.jobs import PersistQueue
from beaver.db.completion import to_its_end
from beaver.errors import Unavailable
from beaver.logs import get_logger
from beaver.outbox import audit
from beaver.outbox.audit import IDENTITY_MISMATCH
from beaver.outbox.claim_store import Taken
from beaver.outbox.ledger_writer import LedgerWriter
from beaver.outbox.relay import ring_all
from beaver.outbox.states import ENDS, State
from beaver.outbox.turns import Claim, Step
from beaver.schemas.jobs import PersistJob
from beaver.tracing import active_traceparent, span
from worker.clients import GatewayClients
from worker.messages import turn_messages
from worker.metrics import WorkerMetrics
from worker.timing import RECORD_RETRY_S
from worker.withdrawal import Withdrawer

T = TypeVar("T")

INTERRUPTED: Final = "interrupted"


@dataclass(frozen=True)
class Persister:
    """Carries turns to the Gateway. Share it between the jobs of one process."""

    ledger: LedgerWriter
    clients: GatewayClients
    withdrawer: Withdrawer
    queue: PersistQueue
    draining: Callable[[], bool]
    metrics: WorkerMetrics

    async def persist(self, job: PersistJob) -> None:
        """Do what is left to do for a turn, if it is ours to do. A second delivery of the same job does nothing.

        Raises Unavailable when the ledger cannot be read or written; the sweeper then says what became of the turn.
        """
        if self.draining():
            # The queue has spent this ring on a worker that is leaving: ring once more, for another.
            await self._ring(await self.ledger.ring_now(job.run_id))
            return
        taken = await self._take(job.run_id)
        if taken is None:
            return
        turn = taken.claim.turn
        with self.metrics.flight(), span("beaver.persist", parent=turn.traceparent, run_id=job.run_id):
            await self._deliver(taken)

    async def _take(self, run_id: str) -> Taken | None:
        """The turn, claimed. A cancellation finds it claimed or not, never in between, and lets go of it."""
        taken: list[Taken | None] = []

        async def take() -> None:
            taken.append(await self.ledger.take(run_id))

        try:
            await to_its_end(take())
        except asyncio.CancelledError:
            for each in taken:
                if each is not None:
                    await self._hand_back(each.claim, add_sent=each.claim.state is State.FLUSHING)
            raise
        return taken[0]

    async def _deliver(self, taken: Taken) -> None:
        claim = taken.claim
        client = self.clients.find(claim.turn.owner)
        if client is None:
            await self._record(claim, nobodys_end(claim))
        elif claim.state is State.FLUSHING or await self._add(client, claim, taken.texts):
            await self._flush(client, claim)

    async def _add(self, client: MemoryGatewayClient, claim: Claim, texts: Mapping[int, str]) -> bool:
        """True once the Gateway has confirmed the add and the ledger says so, and that the flush is next."""
        messages = turn_messages(claim.turn, texts)
        if isinstance(messages, str):
            await self._record(claim, (State.ADD_REFUSED, audit.add_failed(messages, "refused")))
            return False
        # It stands in `adding` since the commit that claimed it: the request leaves now, and is never sent again.
        try:
            with self.metrics.call("add"):
                message_ids = await client.add(
                    session_id=claim.turn.session_id,
                    messages=messages,
                    idempotency_key=claim.turn.run_id,
                    traceparent=active_traceparent() or claim.turn.traceparent,
                )
        except GatewayCallError as error:
            if not await self._record(claim, add_end(error)) and error.outcome == "unknown":
                await self._withdraw_if_deleted(claim, ())
            return False
        except asyncio.CancelledError:
            if not await self._record(claim, (State.ADD_UNKNOWN, audit.add_failed(INTERRUPTED, "unknown"))):
                await self._withdraw_if_deleted(claim, ())
            raise
        confirmed = audit.add_succeeded(claim.turn.session_id, message_count=len(messages), attempt=claim.attempt)
        return await self._confirm_add(claim, confirmed, message_ids)

    async def _confirm_add(self, claim: Claim, confirmed: Mapping[str, Any], message_ids: Sequence[str]) -> bool:
        """Commit that it is added and about to be flushed: one commit less, and no worse a place to die in.

        A cancellation meanwhile hands the turn back: its flush is not begun. Where its session was deleted meanwhile,
        nothing can be written, and the Gateway is to forget it.
        """
        try:
            recorded = await self._record(claim, (State.ADDED, confirmed), (State.FLUSHING, {}))
        except asyncio.CancelledError:
            await self._hand_back(claim, add_sent=True)
            await self._withdraw_if_deleted(claim, message_ids)
            raise
        if not recorded:
            await self._withdraw_if_deleted(claim, message_ids)
        return recorded

    async def _withdraw_if_deleted(self, claim: Claim, message_ids: Sequence[str]) -> None:
        async def look_and_withdraw() -> None:
            turn = claim.turn
            if await _asked_again(lambda: self.ledger.is_deleted(turn)):
                await self.withdrawer.withdraw(turn.owner, message_ids, run_id=turn.run_id, session_id=turn.session_id)

        await to_its_end(look_and_withdraw())

    async def _flush(self, client: MemoryGatewayClient, claim: Claim) -> None:
        turn = claim.turn
        try:
            with self.metrics.call("flush"):
                await client.flush(session_id=turn.session_id, traceparent=active_traceparent() or turn.traceparent)
        except GatewayCallError as error:
            await self._record(claim, flush_end(error))
        except asyncio.CancelledError:
            await self._record(claim, (State.FLUSH_UNKNOWN, audit.flush_failed(INTERRUPTED, "unknown")))
            raise
        else:
            await self._record(claim, (State.FLUSHED, audit.flush_succeeded(turn.session_id)))

    async def _record(self, claim: Claim, *steps: Step) -> bool:
        """Write moves in one transaction; False where the claim was lost. An end also rings for the session's next turn.

        What is known must reach the ledger: the database is asked again within a bound (the Gateway never is), and a
        cancellation is raised only after that.
        """
        return await to_its_end(self._record_now(claim, steps))

    async def _record_now(self, claim: Claim, steps: Sequence[Step]) -> bool:
        written = await _asked_again(lambda: self.ledger.move(claim, *steps))
        target, detail = steps[-1]
        if written is None:
            self.metrics.claims_lost.inc()
            get_logger().warning("persist.claim_lost", run_id=claim.turn.run_id, target=target, holder=claim.holder)
            return False
        if target in ENDS:
            self.metrics.ended(target, detail.get("category"))
            say = get_logger().info if target is State.FLUSHED else get_logger().warning
            say("persist.ended", run_id=claim.turn.run_id, state=target, **_why(detail))
        await self._ring(written.ring)
        return True

    async def _hand_back(self, claim: Claim, *, add_sent: bool) -> None:
        await self._ring(await to_its_end(_asked_again(lambda: self.ledger.hand_back(claim, add_sent=add_sent))))

    async def _ring(self, ring: PersistJob | None) -> None:
        if ring is not None:
            await ring_all(self.queue, [ring])


async def _asked_again(write: Callable[[], Awaitable[T]]) -> T:
    """What the ledger answers; a database that cannot serve is asked again until the bound."""
    with suppress(Unavailable):
        return await write()
    async for attempt in AsyncRetrying(
        retry=retry_if_exception_type(Unavailable),
        stop=stop_after_delay(RECORD_RETRY_S),
        wait=wait_exponential_jitter(multiplier=0.05, max=1, jitter=0.1),
        reraise=True,
    ):
        with attempt:
            return await write()
    raise AssertionError("the last attempt returns or raises")


def nobodys_end(claim: Claim) -> Step:
    """Where a turn is left that was made for a user of whom the settings know nothing: no call is made as another."""
    if claim.state is State.FLUSHING:
        return State.FLUSH_FAILED, audit.flush_failed(IDENTITY_MISMATCH, "failed")
    return State.ADD_REFUSED, audit.add_failed(IDENTITY_MISMATCH, "refused")


def add_end(error: GatewayCallError) -> Step:
    """Where a failed add leaves the turn."""
    end = State.ADD_REFUSED if error.outcome == "refused" else State.ADD_UNKNOWN
    return end, audit.add_failed(error.category, error.outcome, error.status)


def flush_end(error: GatewayCallError) -> Step:
    """Where a failed flush leaves the turn; its add stands."""
    if error.outcome == "refused":
        return State.FLUSH_FAILED, audit.flush_failed(error.category, "failed", error.status)
    return State.FLUSH_UNKNOWN, audit.flush_failed(error.category, "unknown", error.status)


def _why(detail: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in detail.items() if name in {"category", "http_status"}}
