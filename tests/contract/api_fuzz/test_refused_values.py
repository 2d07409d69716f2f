"""What the fuzzer found, each on its own: values that a schema forbids, and methods that a path does not know."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.contract.api_fuzz.fuzzer import ANSWER
from tests.support.chat_server import CURATED, RunningChatServer, running_chat_server

TOO_LARGE = 2**63
ASKED = {"messages": [{"role": "user", "content": "Hello"}]}


@pytest.fixture
async def server(tmp_path: Path, database_url: str) -> AsyncIterator[RunningChatServer]:
    config = {**CURATED, "sessions": {"databaseUrl": database_url}}
    async with running_chat_server(tmp_path, [ANSWER], config=config) as running:
        await running.say("Hello", "known")
        yield running


async def test_a_number_that_no_database_holds_is_the_callers_fault(server: RunningChatServer) -> None:
    for path, query in (
        ("/v1/sessions/known/events", {"after": str(TOO_LARGE)}),
        ("/v1/sessions", {"before": f"{TOO_LARGE}:known"}),
        ("/v1/sessions", {"before": "9" * 5000 + ":known"}),
        ("/v1/sessions", {"before": "\u0661:known"}),
    ):
        response = await server.client.get(path, params=query)
        assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_input"), query


async def test_a_fork_begins_after_the_number_of_an_event(server: RunningChatServer) -> None:
    for after in (TOO_LARGE, False, True, "1", 1.5, -1):
        response = await server.client.post("/v1/sessions/known/fork", json={"after_event": after})
        assert (response.status_code, response.json()["error"]["param"]) == (400, "after_event"), after


async def test_a_value_of_another_type_is_not_guessed_at(server: RunningChatServer) -> None:
    for field in ({"stream": "false"}, {"stream": 0}, {"n": True}, {"stream_options": {"include_usage": 1}}):
        response = await server.client.post("/v1/chat/completions", json={**ASKED, **field})
        assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_input"), field


async def test_nothing_runs_in_the_background(server: RunningChatServer) -> None:
    for background, status in ((0, 400), ("false", 400), (True, 400), (False, 200), (None, 200)):
        response = await server.client.post("/v1/responses", json={"input": "Hello", "background": background})
        assert response.status_code == status, background


async def test_a_retry_that_counts_beyond_all_bounds_is_answered(server: RunningChatServer) -> None:
    headers = {"x-stainless-retry-count": "9" * 5000}
    assert (await server.client.post("/v1/chat/completions", json=ASKED, headers=headers)).status_code == 200


async def test_an_unknown_method_is_told_those_that_the_path_knows(server: RunningChatServer) -> None:
    for path, allowed in (
        ("/v1/sessions", {"GET", "POST"}),
        ("/v1/sessions/known", {"GET", "DELETE"}),
        ("/v1/chat/completions", {"POST"}),
        ("/v1/models/a/b", {"GET"}),
    ):
        response = await server.client.patch(path)
        assert (response.status_code, set(response.headers["Allow"].split(", "))) == (405, allowed)
