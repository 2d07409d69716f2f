"""A whole chat over a gated policy and a real local store: what was kept reaches the prompt, with or without a Gateway."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from beaver.agent.loader import EngineLoader, EngineLoadResult
from beaver.agent.policy.attribution import in_words, why
from beaver.agent.policy.composing import owner_of
from beaver.agent.policy.stores import ById, NewItem, Owner
from beaver.agent.providers.scripted import ScriptedProvider
from beaver.agent.reference import UNTRUSTED_RULE
from beaver.agent.results import RunRequest
from beaver.cli.local_memory.opening import open_local_store
from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.errors import Unavailable
from tests.support.engine import SESSION, says
from tests.support.gateway import KEY, USER
from tests.support.gateway_stub import running_gateway_stub
from tests.support.ports import free_ports

PORT = NewItem("fact", "The staging server listens on port 8443.", "project", 0.9, "person")
ASKED = "Which port does the staging server use?"


# A busy machine is no reason to be late here.
POLICY: dict[str, Any] = {
    "recallPolicy": "gated",
    "localStore": True,
    "localDeadlineMs": 10_000,
    "remoteDeadlineMs": 10_000,
}


@asynccontextmanager
async def chatting(
    root: Path, items_url: str, remote_below: float = 0.45, **memory: Any
) -> AsyncIterator[tuple[EngineLoadResult, ScriptedProvider, Owner]]:
    policy = {**POLICY, "databaseUrl": items_url, "remoteBelowScore": remote_below}
    raw = {"queue": {"redisUrl": "unix:///nowhere/at/all.sock"}, "memory": {"policy": policy, **memory}}
    settings = parse_settings(InstancePaths.at(root), raw, {})
    provider = ScriptedProvider([says(f"answer {number}") for number in range(9)])
    engine = await EngineLoader(settings, provider=provider, open_items=open_local_store).load()
    try:
        yield engine, provider, owner_of(settings.memory)
    finally:
        await engine.aclose()


def gateway_at(url: str) -> dict[str, Any]:
    return {"mode": "hybrid", "gateway": {"baseUrl": url, "userId": USER, "userKey": KEY}}


async def ask(engine: EngineLoadResult, provider: ScriptedProvider, prompt: str) -> str:
    """The references of the prompt's first call."""
    result = await engine.loop.run(RunRequest(prompt, SESSION))
    assert result.error is None
    messages = provider.requests[-1].messages
    assert any(message.text == UNTRUSTED_RULE for message in messages)
    return "\n".join(message.text for message in messages if message.label == "reference")


async def test_what_was_kept_is_recalled_and_its_origin_can_be_asked_for(tmp_path: Path, memory_url: str) -> None:
    async with chatting(tmp_path, memory_url, mode="curated") as (engine, provider, owner):
        assert engine.items is not None
        written = await engine.items.write(Owner(owner.tenant, owner.project, owner.user, "an-older-chat"), PORT)
        assert PORT.text in await ask(engine, provider, ASKED)
        mine = Owner(owner.tenant, owner.project, owner.user, SESSION)
        told = await why(engine.database, engine.items, mine)
        assert told is not None
        assert (told.decision, told.reason) == ("run", "session_start")
        (line,) = [line for line in in_words(told) if line.startswith("- ")]
        assert "an-older-chat" in line
        assert PORT.text in line
        await engine.items.forget(mine, ById(written.item_id or ""))
        assert "(forgotten)" in "\n".join(in_words(await why(engine.database, engine.items, mine)))


async def test_with_the_gateway_down_the_local_store_answers(tmp_path: Path, memory_sqlite_url: str) -> None:
    (nobody,) = free_ports(1)
    async with chatting(tmp_path, memory_sqlite_url, 1.0, **gateway_at(f"http://127.0.0.1:{nobody}")) as (
        engine,
        provider,
        owner,
    ):
        assert engine.items is not None
        await engine.items.write(owner_in(owner), PORT)
        assert PORT.text in await ask(engine, provider, ASKED)
        told = await why(engine.database, engine.items, owner_in(owner))
        assert told is not None
        assert told.gateway == "failed"
        assert "The Memory Gateway did not answer." in in_words(told)


async def test_a_gated_turn_asks_the_gateway_once_and_only_when_the_local_store_knows_too_little(
    tmp_path: Path, memory_sqlite_url: str
) -> None:
    async with (
        running_gateway_stub() as stub,
        chatting(tmp_path, memory_sqlite_url, **gateway_at(stub.url)) as (engine, provider, owner),
    ):
        await ask(engine, provider, ASKED)
        assert len(stub.requests) == 1
        assert engine.items is not None
        await engine.items.write(owner_in(owner), PORT)
        assert PORT.text in await ask(engine, provider, f"Remember: {ASKED}")
        assert len(stub.requests) == 1


async def test_a_local_store_that_cannot_be_opened_costs_its_memory_and_no_answer(tmp_path: Path) -> None:
    async def broken(_settings: object) -> None:
        raise Unavailable("the disk is gone")

    raw = {"queue": {"redisUrl": "unix:///nowhere/at/all.sock"}, "memory": {"policy": {"localStore": True}}}
    settings = parse_settings(InstancePaths.at(tmp_path), raw, {})
    engine = await EngineLoader(settings, provider=ScriptedProvider([says("good day")]), open_items=broken).load()
    try:
        assert [warning for warning in engine.warnings if "local memory" in warning]
        assert (await engine.loop.run(RunRequest("hello", SESSION))).error is None
    finally:
        await engine.aclose()


def owner_in(owner: Owner) -> Owner:
    return Owner(owner.tenant, owner.project, owner.user, SESSION)
