"""What a run owes to the Gateway: a ledger row with the answer, and a ring without content."""

from __future__ import annotations

import json
from typing import Any

from beaver.agent.curated.service import MemoryService
from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH, SEARCH_PATH
from tests.support.engine import SESSION, Tells, asks, engine, says
from tests.support.gateway import KEY, USER, gateway_service
from tests.support.gateway_stub import GatewayStub, ok
from tests.support.valkey import ValkeyServer
from tests.unit.agent.loop.scene import FOUND


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
