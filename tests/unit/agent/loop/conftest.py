"""A stub Gateway, and curated memory that holds one entry."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from beaver.agent.curated.service import MemoryService
from beaver.agent.curated.store import MemoryStore
from tests.support.gateway_stub import GatewayStub, running_gateway_stub


@pytest.fixture
async def stub() -> AsyncIterator[GatewayStub]:
    async with running_gateway_stub() as running:
        yield running


@pytest.fixture
def curated(tmp_path: Path) -> MemoryService:
    """Curated memory that holds one entry."""
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("the boat is blue", encoding="utf-8")
    (folder / "USER.md").write_text("her name is Maria", encoding="utf-8")
    return MemoryService(MemoryStore(folder))
