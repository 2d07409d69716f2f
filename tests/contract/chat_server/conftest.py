"""A chat server with one answer; two servers over one database, on SQLite and PostgreSQL in turn."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.contract.chat_server.scene import ANSWER
from tests.contract.chat_server.two_servers import Servers
from tests.support.chat_server import RunningChatServer, running_chat_server


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    async with running_chat_server(tmp_path, [ANSWER]) as running:
        yield running


@pytest.fixture
async def servers(tmp_path: Path, database_url: str) -> AsyncIterator[Servers]:
    async with AsyncExitStack() as opened:
        yield Servers(opened, tmp_path, database_url)
