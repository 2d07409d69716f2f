"""The look at the configured Memory Gateway: what it asks, and what it makes of the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from beaver.cli.gateway_probe import look_at_memory_gateway
from beaver.cli.part_finding import PartFinding
from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.schemas.gateway import SEARCH_PATH
from tests.support.gateway_stub import Behaviour, GatewayStub, ok, running_gateway_stub, status


async def look(root: Path, stub: GatewayStub) -> PartFinding:
    gateway = {"baseUrl": stub.url, "userId": "anna", "userKey": "uk_1", "scope": ["all_user_memory"]}
    return await look_at_memory_gateway(parse_settings(InstancePaths.at(root), {"memory": {"gateway": gateway}}, {}))


async def test_it_finds_nothing_so_that_no_memory_counts_as_used(tmp_path: Path) -> None:
    async with running_gateway_stub() as stub:
        found = await look(tmp_path, stub)
        (asked,) = stub.bodies(SEARCH_PATH)
    assert found.severity == "ok"
    assert asked["scope"] == ["current_chat"]


@pytest.mark.parametrize(
    ("answer", "words", "step"),
    [
        (status(401), "does not take this user and key", "`beaver gateway users add ID`"),
        (status(500), "answers come without recall meanwhile", "gateway.log"),
        (ok({"results": 7}), "answers come without recall meanwhile", "gateway.log"),
    ],
)
async def test_what_is_wrong_is_said_with_the_next_step(
    tmp_path: Path, answer: Behaviour, words: str, step: str
) -> None:
    async with running_gateway_stub() as stub:
        stub.always(SEARCH_PATH, answer)
        found = await look(tmp_path, stub)
    assert (found.severity, found.part) == ("warning", "Memory Gateway")
    assert words in found.message
    assert step in (found.next_step or "")
