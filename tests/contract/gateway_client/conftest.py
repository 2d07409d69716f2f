"""Clients of a stub Gateway on real sockets; a door also has one over a stand-in transport."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping

import httpx
import pytest

from beaver.client.gateway import MemoryGatewayClient
from tests.contract.gateway_client.calls import PATHS, client_of, settings
from tests.contract.gateway_client.door import Asked, Door
from tests.support.gateway_stub import GatewayStub, running_gateway_stub


@pytest.fixture
async def stub() -> AsyncIterator[GatewayStub]:
    async with running_gateway_stub() as running:
        yield running


@pytest.fixture
async def client(stub: GatewayStub) -> AsyncIterator[MemoryGatewayClient]:
    async with client_of(stub.url) as opened:
        yield opened


@pytest.fixture
async def hasty(stub: GatewayStub) -> AsyncIterator[MemoryGatewayClient]:
    """A client whose deadline is 0.3 s."""
    async with client_of(stub.url, timeout_s=0.3) as opened:
        yield opened


@pytest.fixture(params=["sockets", "stand-in"])
async def door(request: pytest.FixtureRequest) -> AsyncIterator[Door]:
    opened = Door()
    if request.param == "sockets":
        async with running_gateway_stub() as stub:

            def set_answer(code: int, body: bytes, headers: Mapping[str, str]) -> None:
                for path in PATHS.values():
                    stub.always(path, lambda exchange: exchange.send(code, body, headers))

            opened.answer = set_answer
            opened.asked = lambda: [Asked(seen.method, seen.path, seen.headers, seen.body) for seen in stub.requests]
            opened.client = MemoryGatewayClient(settings(stub.url))
            yield opened
            await opened.client.aclose()
        return
    seen: list[Asked] = []
    answers: list[httpx.Response] = []

    def handle(http: httpx.Request) -> httpx.Response:
        seen.append(Asked(http.method, http.url.raw_path.decode(), http.headers, json.loads(http.content or b"null")))
        return answers[-1]

    opened.answer = lambda code, body, headers: answers.append(httpx.Response(code, content=body, headers=headers))
    opened.asked = lambda: seen
    opened.client = MemoryGatewayClient(settings("http://gateway.test"), transport=httpx.MockTransport(handle))
    yield opened
    await opened.client.aclose()
