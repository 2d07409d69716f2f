"""The JavaScript clients against a running server; each script says what it understood."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from beaver.agent.messages import Completion, Usage
from tests.support.chat_server import RunningChatServer, running_chat_server

pytestmark = pytest.mark.npm

HERE = Path(__file__).parent
TEXT = "Beavers build dams."
ANSWER = Completion(TEXT, (), Usage(7, 3), "stop")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the clients and the scripts."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("npm")
    for name in ("package.json", "openai_client.mjs", "ai_sdk.mjs"):
        shutil.copy(HERE / name, folder)
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run(command, cwd=folder, check=True, timeout=150)
    return folder


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    async with running_chat_server(tmp_path, [ANSWER]) as running:
        yield running


async def understood(folder: Path, script: str, server: RunningChatServer) -> dict[str, Any]:
    """What the script printed. Its errors are the test's."""
    process = await asyncio.create_subprocess_exec(
        "node", script, f"{server.url}/v1", cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    said: dict[str, Any] = json.loads(out)
    return said


async def test_the_official_javascript_client_works_unmodified(installed: Path, server: RunningChatServer) -> None:
    assert await understood(installed, "openai_client.mjs", server) == {
        "models": ["beaver", "beaver-no-memory"],
        "chat": TEXT,
        "chatStream": TEXT,
        "chatTokens": 10,
        "response": TEXT,
        "responseStream": TEXT,
        "sameSession": True,
        "missing": "NotFoundError",
    }


async def test_the_vercel_ai_sdk_works_by_both_apis(installed: Path, server: RunningChatServer) -> None:
    answered = {"whole": TEXT, "streamed": TEXT, "finish": "stop"}

    said = await understood(installed, "ai_sdk.mjs", server)

    assert said == {"responses": answered, "chat": answered, "compatible": answered}
