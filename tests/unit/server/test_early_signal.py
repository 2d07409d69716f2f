"""SIGTERM to a chat server that has not come so far as to listen for it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from fastapi import FastAPI

from beaver.agent.results import AgentRunResult, Emit, RunRequest
from beaver.config.settings import ServerSettings
from beaver.server.runs.registry import RunRegistry
from beaver.server.serve import ChatServer, listen, outlive_the_signal, server_config
from tests.support.ports import free_ports


class Unasked:
    def check(self, request: RunRequest) -> None:
        raise AssertionError("nobody asks")

    async def run(self, request: RunRequest, emit: Emit) -> AgentRunResult:
        raise AssertionError("nobody asks")


@pytest.fixture
def restored() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("restored")
async def test_a_signal_that_comes_before_the_server_listens_for_it_ends_it_all_the_same() -> None:
    closed: list[str] = []

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        closed.append("app")

    runs = RunRegistry(Unasked())
    server = ChatServer(server_config(FastAPI(lifespan=lifespan)), runs)
    outlive_the_signal(server)
    signal.raise_signal(signal.SIGTERM)
    [port] = free_ports(1)
    await asyncio.wait_for(server.serve(sockets=[listen(ServerSettings(port=port))]), 30)
    assert runs.draining
    assert closed == ["app"]
