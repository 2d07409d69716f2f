"""The two memories in a run: curated blocks, one recall, the ledger's row and the doorbell; none of it moves the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from beaver.agent.curated.service import MemoryService
from beaver.agent.curated.store import MemoryStore
from beaver.agent.curated.tool import MemoryTool
from beaver.agent.gateway_memory import MemoryGatewayService
from beaver.agent.messages import Completion, ProviderRequest
from beaver.agent.providers.scripted import Step
from beaver.agent.reference import UNTRUSTED_RULE
from beaver.agent.results import AgentRunResult, Answered, RunEvent, RunRequest
from beaver.client.gateway import MemoryGatewayClient
from beaver.client.jobs import PersistQueue
from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH, SEARCH_PATH
from beaver.sessions.leases import LeaseStore
from tests.support.engine import SESSION, Engine, Listener, Tells, asks, engine, says
from tests.support.gateway import KEY, NO_QUEUE, NOWHERE, USER, gateway_service, gateway_settings
from tests.support.gateway_stub import (
    Behaviour,
    GatewayStub,
    drip,
    hang,
    ok,
    raw,
    reset,
    running_gateway_stub,
    status,
)
from tests.support.valkey import ValkeyServer
from tests.support.waiting import wait_until

RECALLED = "the heron nests behind the old mill"
FOUND = {
    "results": [
        {
            "id": "m1",
            "session_id": "chat:s-0",
            "text": RECALLED,
            "score": 0.9,
            "source_scope": "resources",
            "resource_uri": "file:///birds.md",
            "raw": {"debug": "RAW BACKEND DATA"},
        }
    ]
}


@pytest.fixture
async def stub() -> AsyncIterator[GatewayStub]:
    async with running_gateway_stub() as running:
        yield running


@pytest.fixture
def curated(tmp_path: Path) -> MemoryService:
    """Curated memory that holds one entry."""
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("the boat is blue", encoding="utf-8")
    (folder / "USER.md").write_text("her name is Maria", encoding="utf-8")
    return MemoryService(MemoryStore(folder))


def texts(request: ProviderRequest, label: str) -> list[str]:
    return [message.text for message in request.messages if message.label == label]


def system_text(request: ProviderRequest) -> str:
    return "\n\n".join(message.text for message in request.messages if message.role == "system")


async def test_both_memories_are_before_the_provider_at_its_first_call(
    sqlite_database: Database, stub: GatewayStub, curated: MemoryService
) -> None:
    searched_before: list[int] = []

    def step(_request: ProviderRequest) -> Completion:
        searched_before.append(len(stub.seen(SEARCH_PATH)))
        return says("by the mill")

    stub.always(SEARCH_PATH, ok(FOUND))
    async with gateway_service(stub.url) as gateway:
        built = engine(sqlite_database, [step], gateway=gateway, curated=curated)
        await built.ask("where is the heron?")
    assert searched_before == [1]
    (request,) = built.provider.requests
    assert "the boat is blue" in texts(request, "curated_memory")[0]
    assert "her name is Maria" in texts(request, "curated_user")[0]
    assert [message.label for message in request.messages] == [
        *("identity", "curated_memory", "curated_user", "rule", "reference", "prompt")
    ]


async def test_the_search_asks_for_the_prompt_in_the_bare_session(sqlite_database: Database, stub: GatewayStub) -> None:
    async with gateway_service(stub.url, top_k=3, app_id="shop") as gateway:
        await engine(sqlite_database, [says("hm")], gateway=gateway).ask("where is the heron?")
    assert stub.bodies(SEARCH_PATH) == [
        {
            "user_id": USER,
            "user_key": KEY,
            "conversation_id": SESSION,
            "query": "where is the heron?",
            "scope": ["current_chat", "resources"],
            "top_k": 3,
            "app_id": "shop",
            "project_id": "default",
        }
    ]


async def test_recall_is_untrusted_reference_outside_the_system_prompt_and_never_stored(
    sqlite_database: Database, stub: GatewayStub
) -> None:
    stub.script(SEARCH_PATH, ok(FOUND))
    async with gateway_service(stub.url) as gateway:
        built = engine(sqlite_database, [says("by the mill"), says("yes")], gateway=gateway)
        result = await built.ask("where is the heron?")
        await built.ask("sure?")
    first, second = built.provider.requests
    (reference,) = texts(first, "reference")
    assert RECALLED in reference
    assert RECALLED not in system_text(first)
    assert UNTRUSTED_RULE in system_text(first)
    assert "RAW BACKEND DATA" not in str(first.messages)
    assert RECALLED not in str(second.messages)
    assert RECALLED not in str(await built.events())
    assert RECALLED not in str(result.messages)


async def test_one_recall_serves_every_round_of_a_run_with_the_same_bytes(
    sqlite_database: Database, stub: GatewayStub
) -> None:
    stub.always(SEARCH_PATH, ok(FOUND))
    steps = [asks(("lookup", {"n": 1})), asks(("lookup", {"n": 2})), says("by the mill")]
    async with gateway_service(stub.url) as gateway:
        built = engine(sqlite_database, steps, gateway=gateway, tools=[Tells()])
        await built.ask("where is the heron?")
    assert len(stub.seen(SEARCH_PATH)) == 1
    first, *later = built.provider.requests
    for request in later:
        assert request.messages[: len(first.messages)] == first.messages


async def test_nothing_found_gives_no_reference_message(sqlite_database: Database, stub: GatewayStub) -> None:
    stub.always(SEARCH_PATH, ok({"results": [{"id": "m1", "text": "  "}]}))
    async with gateway_service(stub.url) as gateway:
        built = engine(sqlite_database, [says("no idea")], gateway=gateway)
        await built.ask("where?")
    assert texts(built.provider.requests[0], "reference") == []
    assert await built.audit() == [
        ("memory_gateway_recall_succeeded", {"scope": ["current_chat", "resources"], "result_count": 0})
    ]


async def test_without_a_gateway_there_is_no_rule_no_reference_no_audit_and_no_row(
    sqlite_database: Database, curated: MemoryService
) -> None:
    built = engine(sqlite_database, [says("blue")], curated=curated)
    await built.ask("which colour?")
    (request,) = built.provider.requests
    assert [message.label for message in request.messages] == ["identity", "curated_memory", "curated_user", "prompt"]
    assert UNTRUSTED_RULE not in system_text(request)
    assert await built.audit() == []
    assert await built.ledger() == []


def jobs_of(valkey: ValkeyServer) -> list[Any]:
    """The queued jobs, as they stand in the queue."""
    client = valkey.client()
    return [json.loads(client.get(key)) for key in sorted(client.keys("arq:job:*"))]  # type: ignore[arg-type]


def everything_in(valkey: ValkeyServer) -> str:
    client = valkey.client()
    keys: list[bytes] = client.keys("*")  # type: ignore[assignment]
    return str([(key, client.dump(key)) for key in keys])


async def test_the_turn_is_owed_with_its_answer_and_rung_for_without_content(
    database: Database, stub: GatewayStub, valkey: ValkeyServer
) -> None:
    now = 1_780_000_000_000
    stub.always(SEARCH_PATH, ok(FOUND))
    async with gateway_service(stub.url, valkey.url, app_id="shop", project_id="support") as gateway:
        built = engine(database, [says("by the mill")], gateway=gateway, clock=lambda: now)
        result = await built.ask("where is the heron?")

    (row,) = await built.ledger()
    assert (row.run_id, row.session_id, row.state) == (result.run_id, SESSION, "pending")
    assert (row.gateway_user_id, row.app_id, row.project_id) == (USER, "shop", "support")
    assert (row.user_at_ms, row.answer_at_ms) == (now, now)
    async with database.read() as tx:
        owed = await built.sessions.event_texts(tx, [row.user_event_id, row.answer_event_id])
    assert owed == {row.user_event_id: "where is the heron?", row.answer_event_id: "by the mill"}

    (job,) = jobs_of(valkey)
    assert job["a"] == [
        {"version": 1, "run_id": result.run_id, "generation": 0, "traceparent": row.traceparent},
    ]
    for kept_out in (KEY, "heron", "mill"):
        assert kept_out not in everything_in(valkey)


async def test_only_the_prompt_and_the_answer_are_owed(
    sqlite_database: Database, stub: GatewayStub, curated: MemoryService, valkey: ValkeyServer
) -> None:
    stub.always(SEARCH_PATH, ok(FOUND))
    steps = [asks(("lookup", {"q": "ARGUMENT"}), text="LET ME THINK"), says("by the mill")]
    async with gateway_service(stub.url, valkey.url) as gateway:
        built = engine(sqlite_database, steps, gateway=gateway, curated=curated, tools=[Tells(text="TOOL RESULT")])
        await built.ask("where?")
    (row,) = await built.ledger()
    async with sqlite_database.read() as tx:
        owed = await built.sessions.event_texts(tx, [row.user_event_id, row.answer_event_id])
    assert sorted(owed.values()) == ["by the mill", "where?"]


async def test_the_chat_process_never_adds_or_flushes(
    sqlite_database: Database, stub: GatewayStub, valkey: ValkeyServer
) -> None:
    async with gateway_service(stub.url, valkey.url) as gateway:
        await engine(sqlite_database, [says("hi")], gateway=gateway).ask("hello")
    assert stub.bodies(ADD_PATH) == stub.bodies(FLUSH_PATH) == []


async def test_the_answers_time_is_never_before_the_prompts(sqlite_database: Database) -> None:
    times = iter([2_000, *[1_000] * 9])
    async with gateway_service() as gateway:
        built = engine(sqlite_database, [says("hi")], gateway=gateway, clock=lambda: next(times))
        await built.ask("hello")
    (row,) = await built.ledger()
    assert (row.user_at_ms, row.answer_at_ms) == (2_000, 2_000)


async def test_the_fallback_at_the_tool_limit_is_owed_like_any_answer(sqlite_database: Database) -> None:
    async with gateway_service() as gateway:
        built = engine(
            sqlite_database, [asks(("lookup", {})), says(" ")], gateway=gateway, tools=[Tells()], tool_rounds_max=1
        )
        result = await built.ask("dig")
    (row,) = await built.ledger()
    async with sqlite_database.read() as tx:
        assert (await built.sessions.event_texts(tx, [row.answer_event_id])).popitem()[1] == result.text
    assert row.state == "pending"


async def test_a_failed_run_is_not_owed(sqlite_database: Database, valkey: ValkeyServer) -> None:
    async with gateway_service(queue_url=valkey.url) as gateway:
        built = engine(sqlite_database, [Unavailable("gone")], gateway=gateway)
        await built.ask("hello")
    assert await built.ledger() == []
    assert jobs_of(valkey) == []


async def test_a_blank_answer_is_audited_as_skipped_and_not_rung_for(database: Database, valkey: ValkeyServer) -> None:
    async with gateway_service(queue_url=valkey.url) as gateway:
        built = engine(database, [says("\n")], gateway=gateway)
        result = await built.ask("hello")
    assert result.error is None
    assert [row.state for row in await built.ledger()] == ["skipped"]
    assert (await built.audit())[-1] == ("memory_gateway_add_skipped", {"reason": "blank_answer"})
    assert jobs_of(valkey) == []


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


@asynccontextmanager
async def both(
    stub: GatewayStub, database: Database, curated: MemoryService, steps: list[Step]
) -> AsyncIterator[Engine]:
    async with gateway_service(stub.url) as gateway:
        yield engine(database, steps, gateway=gateway, curated=curated, tools=[MemoryTool(curated)])


def files_of(tmp_path: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (tmp_path / "memory").glob("*.md")}


async def test_changes_of_curated_memory_reach_no_gateway_and_show_in_the_next_run(
    sqlite_database: Database, stub: GatewayStub, curated: MemoryService, tmp_path: Path
) -> None:
    added = {"target": "memory", "action": "add", "content": "the mast is oak"}
    async with both(stub, sqlite_database, curated, [asks(("memory", added)), says("noted"), says("oak")]) as built:
        result = await built.ask("remember the mast")
        await built.ask("the mast?")
    assert result.tools_used == ("memory",)
    assert "the mast is oak" in files_of(tmp_path)["MEMORY.md"].decode()
    before, same_run, next_run = map(system_text, built.provider.requests)
    assert before == same_run
    assert "the mast is oak" not in before
    assert "the mast is oak" in next_run
    assert {request.path for request in stub.requests} == {SEARCH_PATH}
    assert "oak" not in str(stub.bodies(SEARCH_PATH))


async def test_a_turn_with_the_gateway_changes_no_curated_file(
    sqlite_database: Database, stub: GatewayStub, curated: MemoryService, tmp_path: Path
) -> None:
    before = files_of(tmp_path)
    stub.always(SEARCH_PATH, ok(FOUND))
    async with both(stub, sqlite_database, curated, [says("by the mill")]) as built:
        await built.ask("where is the heron?")
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("unreachable", [True, False], ids=["down", "up"])
async def test_no_credential_stands_in_an_event_or_a_result(
    sqlite_database: Database, stub: GatewayStub, unreachable: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async with gateway_service(NOWHERE if unreachable else stub.url) as gateway:
        built = engine(sqlite_database, [says("hi")], gateway=gateway)
        result = await built.ask("hello")
    assert KEY not in str(await built.events())
    assert KEY not in repr(result)
    assert KEY not in caplog.text
