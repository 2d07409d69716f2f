"""The loader builds what the configuration asks for, mode by mode, and closes what it opened."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from beaver.agent.loader import EngineLoader, EngineLoadResult
from beaver.agent.providers.scripted import ScriptedProvider
from beaver.agent.reference import FORGET_RULE, UNTRUSTED_RULE
from beaver.agent.results import RunRequest
from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.config.settings import Settings
from beaver.db.engine import Database
from beaver.errors import ConfigError, Unavailable
from beaver.schemas.audit import AuditEvent
from beaver.schemas.gateway import SEARCH_PATH
from beaver.sessions.leases import LeaseStore
from beaver.sessions.memory.switch_store import SwitchStore
from beaver.sessions.store import SessionStore
from tests.support.engine import SESSION, says
from tests.support.gateway import KEY, USER
from tests.support.gateway_stub import GatewayStub, running_gateway_stub


@pytest.fixture
async def stub() -> AsyncIterator[GatewayStub]:
    async with running_gateway_stub() as running:
        yield running


def settings(root: Path, memory: Mapping[str, Any] | None, **sections: Any) -> Settings:
    raw = {"queue": {"redisUrl": "unix:///nowhere/at/all.sock"}, **sections}
    return parse_settings(InstancePaths.at(root), raw if memory is None else {**raw, "memory": memory}, {})


def with_gateway(mode: str | None, url: str, **gateway: Any) -> dict[str, Any]:
    named = {} if mode is None else {"mode": mode}
    return {**named, "gateway": {"baseUrl": url, "userId": USER, "userKey": KEY, **gateway}}


@asynccontextmanager
async def loaded(made: Settings) -> AsyncIterator[tuple[EngineLoadResult, ScriptedProvider]]:
    provider = ScriptedProvider([says("good day")])
    result = await EngineLoader(made, provider=provider).load()
    try:
        yield result, provider
    finally:
        await result.aclose()


def remember(root: Path, text: str = "the boat is blue") -> None:
    folder = root / ".beaver" / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text(text, encoding="utf-8")


async def first_request(engine: EngineLoadResult, provider: ScriptedProvider) -> tuple[str, set[str]]:
    """The system prompt and the tools of a run's first call."""
    result = await engine.loop.run(RunRequest("hello", SESSION))
    assert result.error is None
    (request,) = provider.requests
    system = "\n".join(message.text for message in request.messages if message.role == "system")
    return system, {tool.name for tool in request.tools}


@pytest.mark.parametrize("mode", ["hybrid", None], ids=["explicit", "implicit"])
async def test_hybrid_builds_both_memories(tmp_path: Path, stub: GatewayStub, mode: str | None) -> None:
    remember(tmp_path)
    async with loaded(settings(tmp_path, with_gateway(mode, stub.url))) as (engine, provider):
        assert engine.memory_service is not None
        assert engine.memory_gateway_service is not None
        assert engine.warnings == ()
        system, tools = await first_request(engine, provider)
    assert "the boat is blue" in system
    assert UNTRUSTED_RULE in system
    assert FORGET_RULE in system
    assert tools == {"session_search", "memory"}
    assert len(stub.seen(SEARCH_PATH)) == 1


@pytest.mark.parametrize("memory", [{"mode": "curated"}, "with a gateway block"], ids=["plain", "gateway ignored"])
async def test_curated_builds_no_gateway_and_calls_none(tmp_path: Path, stub: GatewayStub, memory: Any) -> None:
    remember(tmp_path)
    section = memory if isinstance(memory, dict) else with_gateway("curated", stub.url)
    async with loaded(settings(tmp_path, section)) as (engine, provider):
        assert engine.memory_service is not None
        assert engine.memory_gateway_service is None
        assert engine.warnings == ()
        system, tools = await first_request(engine, provider)
    assert "the boat is blue" in system
    assert UNTRUSTED_RULE not in system
    assert FORGET_RULE not in system
    assert tools == {"session_search", "memory"}
    assert stub.requests == []


@pytest.mark.parametrize("credentials", [None, {"userKey": KEY}], ids=["no section", "key only"])
async def test_implicit_hybrid_without_credentials_goes_on_with_curated_memory_and_one_warning(
    tmp_path: Path, credentials: dict[str, str] | None, caplog: pytest.LogCaptureFixture
) -> None:
    remember(tmp_path)
    memory = None if credentials is None else {"gateway": credentials}
    async with loaded(settings(tmp_path, memory)) as (engine, provider):
        assert engine.memory_service is not None
        assert engine.memory_gateway_service is None
        (warning,) = engine.warnings
        system, tools = await first_request(engine, provider)
    assert "memory.gateway.baseUrl" in warning
    assert KEY not in warning + caplog.text
    assert "the boat is blue" in system
    assert UNTRUSTED_RULE not in system
    assert tools == {"session_search", "memory"}


@pytest.mark.parametrize("why", ["off", "denied"])
async def test_nobody_is_asked_about_a_session_without_memory_or_a_denied_project(
    tmp_path: Path, stub: GatewayStub, database: Database, database_url: str, why: str
) -> None:
    denied = {"policy": {"denylist": {"projects": ["default"]}}} if why == "denied" else {}
    section = {**with_gateway("hybrid", stub.url), **denied}
    async with loaded(settings(tmp_path, section, sessions={"databaseUrl": database_url})) as (engine, provider):
        if why == "off":
            async with database.write() as tx:
                await SwitchStore(database.dialect).switch(tx, SESSION, "ada", off=True)
        await first_request(engine, provider)
        assert stub.seen(SEARCH_PATH) == []
        async with engine.database.read() as tx:
            told = await engine.sessions.events(tx, SESSION, kinds=[AuditEvent.RECALL_SKIPPED])
    assert [event.payload for event in told] == [{"reason": why}]


async def test_gateway_mode_has_no_curated_memory_and_no_memory_tool(tmp_path: Path, stub: GatewayStub) -> None:
    remember(tmp_path)
    async with loaded(settings(tmp_path, with_gateway("memory_gateway", stub.url))) as (engine, provider):
        assert engine.memory_service is None
        assert engine.memory_gateway_service is not None
        system, tools = await first_request(engine, provider)
    assert "the boat is blue" not in system
    assert UNTRUSTED_RULE in system
    assert tools == {"session_search"}
    assert len(stub.seen(SEARCH_PATH)) == 1


async def test_a_turn_of_a_loaded_engine_is_answered_and_owed(
    tmp_path: Path, stub: GatewayStub, database: Database, database_url: str
) -> None:
    made = settings(tmp_path, with_gateway("hybrid", stub.url), sessions={"databaseUrl": database_url})
    async with loaded(made) as (engine, _):
        result = await engine.loop.run(RunRequest("hello"))
        assert (result.text, result.error) == ("good day", None)
        async with engine.database.read() as tx:
            run = await engine.sessions.find_run(tx, result.run_id)
    assert run is not None
    assert run.status == "completed"
    assert KEY not in repr(engine)


async def test_a_fresh_folder_gets_its_database_and_a_second_load_finds_the_session(tmp_path: Path) -> None:
    made = settings(tmp_path, {"mode": "curated"})
    async with loaded(made) as (engine, _):
        await engine.loop.run(RunRequest("hello", SESSION))
    async with loaded(made) as (engine, _), engine.database.read() as tx:
        assert [event.content for event in await engine.sessions.history(tx, SESSION)] == ["hello", "good day"]


async def test_runs_that_a_crash_left_behind_are_ended_at_load(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    sessions = SessionStore(database.dialect)
    async with database.write() as tx:
        lease = await LeaseStore(database.dialect).acquire(tx, SESSION, "run-1", "gone", -1)
        assert lease is not None
        await sessions.start_run(tx, "run-1", SESSION, fence=lease.fence, provider=None, model=None)
    async with loaded(settings(tmp_path, {"mode": "curated"}, sessions={"databaseUrl": database_url})):
        async with database.read() as tx:
            run = await sessions.find_run(tx, "run-1")
        assert run is not None
        assert (run.status, run.error_code) == ("failed", "crashed")


async def test_skills_are_offered_and_bad_ones_are_warned_of(tmp_path: Path) -> None:
    for name in ("good", "bad"):
        (tmp_path / ".beaver" / "skills" / name).mkdir(parents=True)
        (tmp_path / ".beaver" / "skills" / name / "SKILL.md").write_text(
            "---\nname: good\ndescription: Fine.\n---\nDo."
        )
    async with loaded(settings(tmp_path, {"mode": "curated"})) as (engine, provider):
        (warning,) = engine.warnings
        system, tools = await first_request(engine, provider)
    assert "'bad'" in warning
    assert "name: must equal the folder's name" in warning
    assert "- good: Fine." in system
    assert "skill" in tools


async def test_the_settings_of_a_run_come_from_the_configuration(tmp_path: Path) -> None:
    made = settings(
        tmp_path, {"mode": "curated"}, agent={"identity": "You are a heron."}, provider={"outputTokensMax": 77}
    )
    async with loaded(made) as (engine, provider):
        system, _ = await first_request(engine, provider)
    assert system == "You are a heron."
    assert provider.requests[0].output_tokens_max == 77


async def test_the_configured_provider_is_built_where_none_is_given(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text(json.dumps([{"text": "as scripted"}]))
    made = settings(tmp_path, {"mode": "curated"}, provider={"kind": "scripted", "script": "script.json"})
    engine = await EngineLoader(made).load()
    try:
        assert (await engine.loop.run(RunRequest("hello"))).text == "as scripted"
    finally:
        await engine.aclose()
        await engine.aclose()


async def test_a_load_that_fails_closes_what_it_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    close = Database.close

    async def closing(self: Database) -> None:
        closed.append("database")
        await close(self)

    monkeypatch.setattr(Database, "close", closing)
    made = settings(tmp_path, {"mode": "curated"}, provider={"kind": "scripted", "script": "absent.json"})
    with pytest.raises(ConfigError, match=r"provider\.script"):
        await EngineLoader(made).load()
    assert closed == ["database"]


async def test_a_database_that_cannot_serve_is_said_to_be_so(tmp_path: Path) -> None:
    made = settings(tmp_path, {"mode": "curated"}, sessions={"databaseUrl": "postgresql://nobody:pw@127.0.0.1:9/none"})
    with pytest.raises(Unavailable) as caught:
        await EngineLoader(made).load()
    assert "pw@" not in str(caught.value)
