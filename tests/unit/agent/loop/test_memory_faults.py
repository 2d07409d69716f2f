"""Neither a Gateway nor a queue that is down, slow or wrong moves the answer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import pytest

from beaver.agent.curated.service import MemoryService
from beaver.agent.gateway_memory import MemoryGatewayService
from beaver.agent.results import AgentRunResult, Answered, RunEvent, RunRequest
from beaver.client.gateway import MemoryGatewayClient
from beaver.client.jobs import PersistQueue
from beaver.db.engine import Database
from beaver.schemas.gateway import SEARCH_PATH
from beaver.sessions.leases import LeaseStore
from tests.support.engine import SESSION, Engine, Listener, engine, says
from tests.support.gateway import KEY, NO_QUEUE, NOWHERE, gateway_service, gateway_settings
from tests.support.gateway_stub import Behaviour, GatewayStub, drip, hang, ok, raw, reset, status
from tests.support.valkey import ValkeyServer
from tests.support.waiting import wait_until
from tests.unit.agent.loop.scene import system_text, texts


@dataclass(frozen=True)
class Fault:
    """What the Gateway does to a search, and what the audit says of it."""

    name: str
    behaviour: Behaviour | None
    category: str
    http_status: int | None = None


FAULTS = [
    Fault("down", None, "connect_failed"),
    Fault("silent", hang(), "timeout"),
    Fault("slow drip", drip(0.05), "timeout"),
    Fault("refuses the key", status(401), "unauthorized", 401),
    Fault("broken", status(500), "http_status", 500),
    Fault("no json", raw(b"<html>"), "invalid_json", 200),
    Fault("wrong shape", ok({"results": "none"}), "invalid_shape", 200),
    Fault("50 MB", raw(b"[" + b" " * 50_000_000), "too_large", 200),
    Fault("cut off", reset(), "connection_lost"),
]


def without_ids(result: AgentRunResult) -> AgentRunResult:
    return replace(result, run_id="")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_no_fault_of_the_gateway_changes_the_result_or_curated_memory(
    sqlite_database: Database, stub: GatewayStub, curated: MemoryService, fault: Fault
) -> None:
    untouched = engine(sqlite_database, [says("blue")], curated=curated)
    expected = replace(without_ids(await untouched.ask("which colour?", "s-0")), session_id=SESSION)
    if fault.behaviour is not None:
        stub.always(SEARCH_PATH, fault.behaviour)
    url = stub.url if fault.behaviour is not None else NOWHERE
    async with gateway_service(url, timeout_seconds=0.5 if fault.category == "timeout" else 30) as gateway:
        built = engine(sqlite_database, [says("blue")], gateway=gateway, curated=curated)
        result = await built.ask("which colour?")
    assert without_ids(result) == expected
    (request,) = built.provider.requests
    assert "the boat is blue" in system_text(request)
    assert texts(request, "reference") == []
    (event,) = await built.audit()
    answered = {} if fault.http_status is None else {"http_status": fault.http_status}
    assert event == ("memory_gateway_recall_failed", {"operation": "search", "category": fault.category, **answered})
    assert KEY not in str(await built.events())


async def heard_then_returned(built: Engine) -> tuple[list[RunEvent], AgentRunResult]:
    listener = Listener()
    result = await asyncio.wait_for(built.loop.run(RunRequest("hello", SESSION), listener), 10)
    return listener.heard, result


async def test_a_queue_that_is_down_costs_nothing_but_the_ring(sqlite_database: Database) -> None:
    async with gateway_service() as gateway:
        built = engine(sqlite_database, [says("hi")], gateway=gateway)
        heard, result = await heard_then_returned(built)
    assert heard[-1] == Answered("hi")
    assert result.error is None
    assert [row.state for row in await built.ledger()] == ["pending"]


async def test_a_frozen_queue_does_not_hold_the_answer_or_the_session(
    sqlite_database: Database, valkey: ValkeyServer
) -> None:
    answered = asyncio.Event()

    async def emit(event: RunEvent) -> None:
        if isinstance(event, Answered):
            answered.set()

    async with gateway_service(queue_url=valkey.url) as gateway:
        built = engine(sqlite_database, [says("hi")], gateway=gateway)
        valkey.freeze()
        try:
            first = asyncio.create_task(built.loop.run(RunRequest("hello", SESSION), emit))
            await asyncio.wait_for(answered.wait(), 10)
            assert not first.done()
            # The ring may still be going on; the session is free for the next turn all the same.
            assert (await asyncio.wait_for(built.ask("next"), 10)).error is None
            assert (await first).error is None
        finally:
            valkey.thaw()
    assert [row.state for row in await built.ledger()] == ["pending", "pending"]


class HangsAtTheRing(MemoryGatewayService):
    """A queue that never takes a ring, however long one waits for it."""

    def __init__(self, order: list[str]) -> None:
        made = gateway_settings()
        super().__init__(MemoryGatewayClient(made), PersistQueue.open(NO_QUEUE), made)
        self.order = order

    async def persist_after_run(self, run_id: str, traceparent: str | None = None) -> bool:
        self.order.append("rung")
        return await asyncio.Event().wait()


async def test_a_ring_that_hangs_for_ever_comes_after_the_answer_and_the_end_of_the_lease(
    sqlite_database: Database,
) -> None:
    order: list[str] = []
    rung = HangsAtTheRing(order)
    built = engine(sqlite_database, [says("hi")], gateway=rung)

    async def emit(event: RunEvent) -> None:
        if isinstance(event, Answered):
            order.append("answered")

    async def is_rung() -> bool:
        return "rung" in order

    run = asyncio.create_task(built.loop.run(RunRequest("hello", SESSION), emit))
    await wait_until(is_rung)
    assert order == ["answered", "rung"]
    async with sqlite_database.read() as tx:
        assert not await LeaseStore(sqlite_database.dialect).is_held(tx, SESSION)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert [stored.status for stored in await built.runs()] == ["completed"]
    assert [row.state for row in await built.ledger()] == ["pending"]
    await rung.aclose()
