"""A chat server with one answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.contract.chat_server.scene import ANSWER
from tests.support.chat_server import RunningChatServer, running_chat_server


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    async with running_chat_server(tmp_path, [ANSWER]) as running:
        yield running
