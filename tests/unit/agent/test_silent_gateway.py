"""How long turns wait for a Gateway that has been silent for a whole deadline."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from beaver.agent.gateway_memory import MemoryGatewayService, Recalled, RecallFailed
from beaver.client.gateway import GatewayCallError, MemoryGatewayClient, RecalledItem
from beaver.client.jobs import PersistQueue
from beaver.schemas.gateway import SEARCH_PATH
from tests.support.gateway import NO_QUEUE, gateway_settings
from tests.support.gateway_stub import Behaviour, GatewayStub, delay, hang, ok, raw, running_gateway_stub, status
from tests.support.waiting import wait_until

TEXT = "the heron nests behind the old mill"


@pytest.fixture
async def stub() -> AsyncIterator[GatewayStub]:
    async with running_gateway_stub() as running:
        yield running


class RunsOutOnce(MemoryGatewayClient):
    """Its first search comes to the deadline; the others have a distant one."""

    has_run_out = False

    async def search(self, *arguments: Any, **named: Any) -> list[RecalledItem]:
        if not self.has_run_out:
            self.has_run_out = True
            raise GatewayCallError("search", SEARCH_PATH, "timeout", None, "unknown")
        return await super().search(*arguments, **named)


@pytest.fixture
async def silenced(stub: GatewayStub) -> AsyncIterator[MemoryGatewayService]:
    """A service that knows its Gateway to be silent, whose deadline is far away."""
    settings = gateway_settings(stub.url, timeout_seconds=3600)
    made = MemoryGatewayService(RunsOutOnce(settings), PersistQueue.open(NO_QUEUE), settings, silent_s=0.05)
    assert await made.recall_before_run("s-1", TEXT) == RecallFailed("search", "timeout", None)
    yield made
    await made.aclose()


async def test_a_gateway_that_let_a_deadline_pass_is_not_waited_for_so_long_again(
    stub: GatewayStub, silenced: MemoryGatewayService
) -> None:
    stub.always(SEARCH_PATH, hang())
    for _ in range(2):
        recalled = await asyncio.wait_for(silenced.recall_before_run("s-1", TEXT), 30)
        assert recalled == RecallFailed("search", "timeout", None)


async def test_once_it_has_answered_a_search_however_late_turns_wait_for_it_again(
    stub: GatewayStub, silenced: MemoryGatewayService
) -> None:
    stub.script(SEARCH_PATH, hang())
    stub.always(SEARCH_PATH, delay(0.3, ok({"results": [{"text": TEXT}]})))
    assert isinstance(await silenced.recall_before_run("s-1", TEXT), RecallFailed)
    stub.release()

    async def recalls() -> bool:
        return isinstance(await silenced.recall_before_run("s-1", TEXT), Recalled)

    await wait_until(recalls, what="a recall of a Gateway that takes its time")


@pytest.mark.parametrize("answer", [status(401), status(500), raw(b"<html>")], ids=["401", "500", "no json"])
async def test_a_wrong_answer_is_an_answer(
    stub: GatewayStub, silenced: MemoryGatewayService, answer: Behaviour
) -> None:
    stub.script(SEARCH_PATH, answer)
    stub.always(SEARCH_PATH, delay(0.3, ok({"results": [{"text": TEXT}]})))
    assert isinstance(await silenced.recall_before_run("s-1", TEXT), RecallFailed)

    async def recalls() -> bool:
        return isinstance(await silenced.recall_before_run("s-1", TEXT), Recalled)

    await wait_until(recalls, what="a recall of a Gateway that takes its time")
