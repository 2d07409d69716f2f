"""A chat server that goes down closes everything it owns, whatever becomes of one part."""

from __future__ import annotations

from pathlib import Path

import pytest

from beaver.server.guard.key_use import KeyUse
from beaver.server.runs.registry import RunRegistry
from tests.contract.chat_server.scene import ANSWER
from tests.support.chat_server import running_chat_server


async def test_a_drain_that_fails_keeps_nothing_else_from_being_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    drain, close = RunRegistry.drain, KeyUse.aclose

    async def failing_drain(self: RunRegistry) -> None:
        await drain(self)
        raise RuntimeError("the drain failed")

    async def noted_close(self: KeyUse) -> None:
        await close(self)
        closed.append("key use")

    monkeypatch.setattr(RunRegistry, "drain", failing_drain)
    monkeypatch.setattr(KeyUse, "aclose", noted_close)
    async with running_chat_server(tmp_path, [ANSWER]) as server:
        assert (await server.say("Hello")).status_code == 200
    assert closed == ["key use"]
