"""`beaver check` asks whether the Gateway honours `Idempotency-Key` only where that is relied on, and stores nothing for it."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from beaver.cli.idempotency_probe import honours_idempotency_key
from beaver.cli.part_finding import PartFinding
from beaver.cli.reachability import look_at_parts
from beaver.config.loader import load_settings
from beaver.config.paths import InstancePaths
from beaver.gateway.app import create_app
from tests.support.gateway_stub import Behaviour, GatewayStub, hang, ok, raw, reset, running_gateway_stub, status
from tests.unit.cli.conftest import CommandLine

PART = "Idempotency-Key"


async def finding(beaver: CommandLine, stub: GatewayStub, *, honours: bool) -> PartFinding | None:
    gateway = {
        "baseUrl": stub.url,
        "userId": "anna",
        "userKey": "uk_0123456789abcdef",
        "honoursIdempotencyKey": honours,
    }
    beaver.configure({"memory": {"mode": "hybrid", "gateway": gateway}})
    settings = load_settings(InstancePaths.at(beaver.root), {})
    return next((part for part in await look_at_parts(settings) if part.part == PART), None)


@pytest.mark.parametrize(
    ("health", "severity", "words"),
    [
        (ok({"status": "ok", "idempotency_key": True}), "ok", "says that it honours it"),
        (ok({"status": "ok", "idempotency_key": False}), "warning", "does not honour it"),
        (ok({"status": "ok"}), "ok", "not probed"),
        (ok({"idempotency_key": "yes"}), "ok", "not probed"),
        (status(404), "ok", "not probed"),
        (raw(b"<html>"), "ok", "not probed"),
        (raw(b"x" * 200_000), "ok", "not probed"),
        (reset(), "ok", "not probed"),
    ],
)
async def test_the_gateways_own_word_decides(beaver: CommandLine, health: Behaviour, severity: str, words: str) -> None:
    async with running_gateway_stub() as stub:
        stub.always("/health", health)
        found = await finding(beaver, stub, honours=True)
        asked = {request.path for request in stub.requests}
    assert found is not None
    assert (found.severity, words in found.message) == (severity, True)
    assert asked == {"/health", "/memories/search"}


async def test_where_it_is_not_relied_on_nothing_is_asked(beaver: CommandLine) -> None:
    async with running_gateway_stub() as stub:
        assert await finding(beaver, stub, honours=False) is None
        assert stub.seen("/health") == []


async def test_a_gateway_that_hangs_says_nothing_within_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beaver.cli.idempotency_probe.PROBE_TIMEOUT_S", 0.2)
    async with running_gateway_stub() as stub:
        stub.always("/health", hang())
        assert await asyncio.wait_for(honours_idempotency_key(stub.url), 5) is None


async def test_our_own_gateway_says_that_it_honours_it() -> None:
    runtime: Any = None  # liveness asks nothing of it
    app = create_app(runtime, admin_key=None, trust_loopback=False)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://gateway") as client:
        assert (await client.get("/health")).json()["idempotency_key"] is True
