"""A run that fails says so, in mid-stream too, without a bug's words."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from beaver.agent.messages import TextDelta
from beaver.errors import Unavailable
from beaver.logs import configure_logs
from beaver.redaction import Redactor
from tests.contract.chat_server.scene import SLOW
from tests.support.chat_server import running_chat_server
from tests.support.kept_logging import kept_logging


async def test_a_run_that_fails_is_an_error_with_its_status(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [Unavailable("the model is away")]) as server:
        response = await server.say("Hello")
        assert response.status_code == 503
        assert response.headers["Retry-After"]
        assert "the model is away" in response.json()["error"]["message"]


async def test_a_failure_in_mid_stream_is_an_error_and_never_a_finish(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [(TextDelta("Bea"), Unavailable("the model is away"))]) as server:
        streamed = await server.stream("Hello")
        assert streamed.content == "Bea"
        assert streamed.chunks[-1]["error"]["code"] == "unavailable"
        assert streamed.chunks[-1]["request_id"] == streamed.response.headers["X-Request-Id"]
        assert 'finish_reason":"stop' not in streamed.text
        assert "[DONE]" not in streamed.text


async def test_a_bug_in_a_run_is_a_500_without_its_message(tmp_path: Path) -> None:
    log = io.StringIO()
    with kept_logging():
        configure_logs("chat", Redactor(), stream=log)
        async with running_chat_server(tmp_path, [RuntimeError("canary")]) as server:
            whole, streamed = await server.say("Hello"), await server.stream("Hello")
    assert whole.status_code == 500
    assert streamed.chunks[-1]["error"]["code"] == "internal"
    assert '"exception": "RuntimeError"' in log.getvalue()
    assert "canary" not in whole.text + streamed.text + log.getvalue()


async def test_a_silent_run_keeps_its_connection_alive_with_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("beaver.server.openai.chat.KEEP_ALIVE_S", 0.02)
    async with running_chat_server(tmp_path, [SLOW]) as server:
        streamed = await server.stream("Hello")
        assert ": keep-alive\n\n" in streamed.text
        assert streamed.content == "Beavers build dams."
