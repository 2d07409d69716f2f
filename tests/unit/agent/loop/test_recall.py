"""Recall in a run: once, before the provider, as untrusted reference, and never stored."""

from __future__ import annotations

import pytest

from beaver.agent.curated.service import MemoryService
from beaver.agent.messages import Completion, ProviderRequest
from beaver.agent.policy.attribution import in_words, why
from beaver.agent.policy.stores import Owner
from beaver.agent.providers.scripted import Step
from beaver.agent.reference import UNTRUSTED_RULE
from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.schemas.audit import AuditEvent
from beaver.schemas.gateway import SEARCH_PATH
from beaver.sessions.records import MESSAGE
from tests.support.engine import SESSION, Tells, asks, engine, says
from tests.support.gateway import KEY, USER, gateway_service
from tests.support.gateway_stub import GatewayStub, ok
from tests.unit.agent.loop.scene import FOUND, RECALLED, system_text, texts


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
        *("identity", "curated_memory", "curated_user", "rule", "rule", "reference", "prompt")
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


async def test_why_tells_which_memories_the_runs_own_search_brought_and_from_where(
    database: Database, stub: GatewayStub
) -> None:
    stub.script(SEARCH_PATH, ok(FOUND))
    async with gateway_service(stub.url) as gateway:
        built = engine(database, [says("by the mill")], gateway=gateway)
        await built.ask("where is the heron?")
    told = await why(database, None, Owner("default", "default", "ada", SESSION))
    assert told is not None
    (memory,) = told.memories
    assert (memory.store, memory.id, memory.kind, memory.session) == ("gateway", "m1", "resources", "chat:s-0")
    assert memory.score == 0.9
    assert in_words(told) == ["Recalled.", "- gateway resources m1 (session chat:s-0, score 0.90)"]
    held = str([event.payload for event in await built.events()])
    assert RECALLED not in held
    assert "birds.md" not in held


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


@pytest.mark.parametrize(
    "steps",
    [
        [says("by the mill")],
        [asks(("lookup", {})), says("by the mill")],
        [Unavailable("away")],
        [asks(("lookup", {})), Unavailable("away")],
    ],
    ids=["answered", "with a tool", "failed", "failed after a tool"],
)
async def test_however_a_run_ends_its_recall_is_told_once_and_before_what_came_of_it(
    database: Database, stub: GatewayStub, steps: list[Step]
) -> None:
    stub.script(SEARCH_PATH, ok(FOUND))
    async with gateway_service(stub.url) as gateway:
        built = engine(database, steps, gateway=gateway, tools=[Tells()])
        await built.ask("where is the heron?")
    kinds = [event.kind for event in await built.events()]
    assert kinds.count(AuditEvent.RECALL_SUCCEEDED) == 1
    assert kinds[:2] == [MESSAGE, AuditEvent.RECALL_SUCCEEDED]
