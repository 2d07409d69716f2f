"""A Gateway on a fresh database over a real socket, and a first user."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.support.memory_gateway import GatewayUser, migrated_database, new_user, running_gateway


@pytest.fixture(scope="session")
async def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return await migrated_database(tmp_path_factory.mktemp("gateway") / "empty.db")


@pytest.fixture
def database(tmp_path: Path, empty_database: Path) -> Path:
    return Path(shutil.copy(empty_database, tmp_path / "gateway.db"))


@pytest.fixture
async def http(database: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with running_gateway(database) as client:
        yield client


@pytest.fixture
async def ada(http: httpx.AsyncClient) -> GatewayUser:
    return await new_user(http, "ada")
