"""The look at the configured Memory Gateway: what it asks, and what it makes of the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beaver.cli.gateway_probe import look_at_memory_gateway
from beaver.cli.part_finding import PartFinding
from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.schemas.gateway import SEARCH_PATH
from tests.support.gateway_stub import Behaviour, GatewayStub, ok, running_gateway_stub, status


async def look(root: Path, stub: GatewayStub, **further: Any) -> PartFinding:
    gateway = {"baseUrl": stub.url, "userId": "anna", "userKey": "uk_1", "scope": ["all_user_memory"], **further}
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


@pytest.mark.parametrize(("answer", "severity"), [(ok({"results": []}), "ok"), (status(401), "warning")])
async def test_the_keys_of_earlier_users_are_tried_too(tmp_path: Path, answer: Behaviour, severity: str) -> None:
    async with running_gateway_stub() as stub:
        stub.script(SEARCH_PATH, ok({"results": []}), answer)
        found = await look(tmp_path, stub, earlierUsers=[{"userId": "bob", "userKey": "uk_2"}])
        asked = [(body["user_id"], body["user_key"]) for body in stub.bodies(SEARCH_PATH)]
    assert asked == [("anna", "uk_1"), ("bob", "uk_2")]
    assert found.severity == severity
    assert ("earlier user bob" in found.message) == (severity == "warning")
    assert "uk_2" not in f"{found}"
