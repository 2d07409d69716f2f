"""A Gateway on a fresh database over a real socket, and a first user."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.support.memory_gateway import GatewayUser, new_user, running_gateway


@pytest.fixture
async def http(memory_url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with running_gateway(memory_url) as client:
        yield client


@pytest.fixture
async def ada(http: httpx.AsyncClient) -> GatewayUser:
    return await new_user(http, "ada")
