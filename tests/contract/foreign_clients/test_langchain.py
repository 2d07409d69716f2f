"""LangChain as a client, by both of OpenAI's APIs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from beaver.agent.messages import Completion, Usage
from tests.support.chat_server import RunningChatServer, running_chat_server

pytestmark = pytest.mark.langchain

TEXT = "Beavers build dams."


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    async with running_chat_server(tmp_path, [Completion(TEXT, (), Usage(7, 3), "stop")]) as running:
        yield running


@pytest.fixture(params=[False, True], ids=["chat completions", "responses"])
def model(request: pytest.FixtureRequest, server: RunningChatServer) -> Any:
    client = pytest.importorskip("langchain_openai", reason="uv run --with langchain-openai")
    return client.ChatOpenAI(
        model="beaver",
        base_url=f"{server.url}/v1",
        api_key="none",
        max_retries=0,
        stream_usage=True,
        use_responses_api=request.param,
    )


async def test_it_reads_an_answer_and_its_usage(model: Any) -> None:
    message = await model.ainvoke([("system", "Be kind"), ("user", "Hello")])

    assert message.text == TEXT
    assert message.usage_metadata["total_tokens"] == 10


async def test_it_adds_up_a_stream_and_counts_its_usage_once(model: Any) -> None:
    whole = None
    async for chunk in model.astream("Hello"):
        whole = chunk if whole is None else whole + chunk

    assert whole is not None
    assert whole.text == TEXT
    assert whole.usage_metadata["total_tokens"] == 10
