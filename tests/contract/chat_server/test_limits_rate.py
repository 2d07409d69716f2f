"""So many requests a minute: for each key or address, over all servers, and never at the cost of an answer."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import openai
import pytest
import structlog

from tests.contract.chat_server.limited import LimitedServers, add_key, ask, begin
from tests.contract.chat_server.scene import ANSWER
from tests.contract.chat_server.scrape import figure
from tests.support.chat_server import RunningChatServer
from tests.support.valkey import ValkeyServer, running_valkey
from tests.support.waiting import wait_until


@pytest.fixture
async def servers(tmp_path: Path, database_url: str, valkey: ValkeyServer) -> AsyncIterator[LimitedServers]:
    async with AsyncExitStack() as opened:
        yield LimitedServers(opened, tmp_path, database_url, valkey.url)


async def test_over_the_limit_a_request_is_refused_and_told_when_to_come_again(servers: LimitedServers) -> None:
    server = await servers.start("one", ANSWER, ANSWER, rateLimitPerMinute=2)
    first, second, third = [await ask(server) for _ in range(3)]
    assert [each.status_code for each in (first, second, third)] == [200, 200, 429]
    assert third.json()["error"]["code"] == "limit_exceeded"
    assert third.json()["error"]["type"] == "limit_exceeded_error"
    assert 1 <= int(third.headers["Retry-After"]) <= 60
    # Without this word OpenAI's clients wait as told and ask again.
    assert "x-should-retry" not in third.headers
    assert await figure(server, "beaver_runs_refused_total", reason="rate_limit") == 1


async def test_every_counted_answer_says_how_one_stands(servers: LimitedServers) -> None:
    server = await servers.start("one", ANSWER, ANSWER, rateLimitPerMinute=2)
    told = [(await ask(server)).headers for _ in range(3)]
    assert [each["x-ratelimit-remaining-requests"] for each in told] == ["1", "0", "0"]
    for each in told:
        assert each["RateLimit-Policy"] == '"runs";q=2;w=60'
        assert re.fullmatch(r'"runs";r=[01];t=[1-9][0-9]?', each["RateLimit"])
        assert each["x-ratelimit-limit-requests"] == "2"
        assert re.fullmatch(r"[1-9][0-9]?s", each["x-ratelimit-reset-requests"])
    # A window that has just begun ends in a minute, give or take what a crowded machine needed.
    assert int(told[0]["RateLimit"].partition(";t=")[2]) > 1


async def test_the_official_client_reads_the_refusal(servers: LimitedServers) -> None:
    server = await servers.start("one", ANSWER, rateLimitPerMinute=1)
    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        await client.responses.create(model="beaver", input="Hello")
        with pytest.raises(openai.RateLimitError) as refused:
            await client.responses.create(model="beaver", input="Hello")
    assert refused.value.code == "limit_exceeded"
    assert int(refused.value.response.headers["Retry-After"]) >= 1


async def test_all_servers_count_together(servers: LimitedServers) -> None:
    one = await servers.start("one", ANSWER, rateLimitPerMinute=2)
    two = await servers.start("two", ANSWER, rateLimitPerMinute=2)
    assert [(await ask(each)).status_code for each in (one, two, one, two)] == [200, 200, 429, 429]


async def test_each_key_has_a_count_of_its_own(servers: LimitedServers) -> None:
    server = await servers.start("one", ANSWER, ANSWER, rateLimitPerMinute=1, requireKeys=True)
    anna, ben = [await add_key(server.engine.database, key_id, "chat") for key_id in ("k1", "k2")]
    assert [(await ask(server, **key)).status_code for key in (anna, anna, ben, ben)] == [200, 429, 200, 429]


async def test_what_starts_a_run_is_counted_and_what_reads_is_not(servers: LimitedServers) -> None:
    server = await servers.start("one", ANSWER, rateLimitPerMinute=1)
    for path in ("/v1/models", "/v1/sessions", "/health", "/"):
        read = await server.client.get(path)
        assert (read.status_code, "RateLimit" in read.headers) == (200, False)
    assert (await begin(server, "s-1")).status_code == 202
    assert (await begin(server, "s-2")).status_code == 429
    assert (await ask(server)).status_code == 429
    assert (await server.client.post("/v1/responses", json={"input": "Hello"})).status_code == 429
    assert (await server.client.get("/v1/sessions")).status_code == 200


@pytest.mark.parametrize("path", ["chat/completions", "responses", "sessions/s/runs"])
async def test_a_line_break_after_the_path_escapes_no_limit(servers: LimitedServers, path: str) -> None:
    """The patterns of Starlette's routes let one stand there."""
    server = await servers.start("one", ANSWER, rateLimitPerMinute=1)
    told = [(await server.client.post(f"/v1/{path}%0A", json={})).status_code for _ in range(2)]
    assert told == [400, 429]


async def test_without_the_setting_nothing_is_counted(servers: LimitedServers, valkey: ValkeyServer) -> None:
    server = await servers.start("one", ANSWER)
    assert "RateLimit" not in (await ask(server)).headers
    assert valkey.client().dbsize() == 0


async def test_a_forged_address_escapes_no_limit(servers: LimitedServers) -> None:
    server = await servers.start("one", ANSWER, rateLimitPerMinute=1)
    forged = [
        {"X-Forwarded-For": "203.0.113.1"},
        {"X-Forwarded-For": "203.0.113.2", "X-Real-IP": "203.0.113.2"},
        {"Forwarded": "for=203.0.113.3"},
    ]
    assert [(await ask(server, **headers)).status_code for headers in forged] == [200, 429, 429]


async def test_behind_a_trusted_proxy_the_address_counts_that_it_has_seen(servers: LimitedServers) -> None:
    server = await servers.start("one", ANSWER, ANSWER, rateLimitPerMinute=1, trustedProxies=["127.0.0.0/8"])
    # The proxy writes the address that it saw behind whatever it was given.
    seen = ["203.0.113.1", "198.51.100.9, 203.0.113.1", "203.0.113.2", "2001:db8::1, 203.0.113.2"]
    assert [(await ask(server, **{"X-Forwarded-For": each})).status_code for each in seen] == [200, 429, 200, 429]


async def test_without_redis_all_is_answered_with_one_warning_and_the_limit_is_kept_again_when_it_is_back(
    tmp_path: Path, sqlite_url: str
) -> None:
    async with AsyncExitStack() as opened:
        valkey = opened.enter_context(running_valkey())
        servers = LimitedServers(opened, tmp_path, sqlite_url, valkey.url)
        server = await servers.start("one", *[ANSWER] * 500, rateLimitPerMinute=1)
        valkey.kill()
        with structlog.testing.capture_logs() as logged:
            assert [(await ask(server)).status_code for _ in range(5)] == [200] * 5
            valkey.start()
            await wait_until(lambda: _is_refused(server), within_s=60, what="a limit that is kept again")
        told = [entry["event"] for entry in logged if entry["event"].startswith("limits.")]
        assert told == ["limits.not_kept", "limits.kept_again"]


async def _is_refused(server: RunningChatServer) -> bool:
    return (await ask(server)).status_code == 429
