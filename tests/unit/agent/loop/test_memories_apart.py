"""The two memories copy nothing of each other, and no credential stands in an event."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from beaver.agent.curated.service import MemoryService
from beaver.agent.curated.tool import MemoryTool
from beaver.agent.providers.scripted import Step
from beaver.db.engine import Database
from beaver.schemas.gateway import SEARCH_PATH
from tests.support.engine import Engine, asks, engine, says
from tests.support.gateway import KEY, NOWHERE, gateway_service
from tests.support.gateway_stub import GatewayStub, ok
from tests.unit.agent.loop.scene import FOUND, system_text


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
