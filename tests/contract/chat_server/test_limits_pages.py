"""Pages of other sites: none changes anything on a server that asks for no keys; those that are named may use the API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from beaver.config.settings import ServerSettings
from tests.contract.chat_server.limited import add_key, ask
from tests.contract.chat_server.scene import ANSWER
from tests.support.chat_server import CURATED, RunningChatServer, running_chat_server

APP = "https://app.example"
PREFLIGHT = {"Access-Control-Request-Method": "POST"}


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    """A server that asks for no keys and that one other site may use."""
    config = {**CURATED, "server": {"corsOrigins": [APP]}}
    async with running_chat_server(tmp_path, [ANSWER] * 3, config=config) as running:
        yield running


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:3000"},
        {"Sec-Fetch-Site": "nonsense"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Origin": ""},
    ],
)
async def test_a_page_of_another_site_changes_nothing(server: RunningChatServer, headers: dict[str, str]) -> None:
    # A form or `no-cors` script needs no preflight, and some of these paths need no body either.
    asks: list[tuple[str, str, Any]] = [
        ("POST", "/v1/chat/completions", {"messages": [{"role": "user", "content": "Hi"}]}),
        ("POST", "/v1/sessions/s-1/runs", {"prompt": "Hi"}),
        ("POST", "/v1/sessions", {}),
        ("POST", "/v1/runs/r-1/stop", None),
        ("DELETE", "/v1/sessions/s-1", None),
    ]
    for method, path, body in asks:
        refused = await server.client.request(method, path, json=body, headers=headers)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
    assert (await server.client.get("/v1/sessions")).json()["data"] == []


async def test_the_servers_own_page_may_ask_as_new_and_older_browsers_say_it(server: RunningChatServer) -> None:
    new = {"Sec-Fetch-Site": "same-origin", "Origin": server.url}
    assert (await ask(server, **new)).status_code == 200
    older = await server.client.post("/v1/sessions", json={}, headers={"Origin": server.url})
    typed = await server.client.post("/v1/sessions", json={}, headers={"Sec-Fetch-Site": "none"})
    assert (older.status_code, typed.status_code) == (201, 201)


async def test_programs_say_nothing_of_a_site_and_may_ask(server: RunningChatServer) -> None:
    assert (await ask(server)).status_code == 200


async def test_a_link_on_another_site_may_lead_here(server: RunningChatServer) -> None:
    linked = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert (await server.client.get("/", headers=linked)).status_code == 200


async def test_with_keys_the_key_decides_and_not_the_site(tmp_path: Path) -> None:
    config = {**CURATED, "server": {"requireKeys": True}}
    async with running_chat_server(tmp_path, [ANSWER], config=config) as server:
        key = await add_key(server.engine.database, "k1", "chat")
        # What a desktop program or a browser's extension sends.
        elsewhere = {"Sec-Fetch-Site": "cross-site", "Origin": "extension://abc"}
        assert (await ask(server, **elsewhere)).status_code == 401
        assert (await ask(server, **elsewhere, **key)).status_code == 200


async def test_without_the_setting_no_preflight_is_answered(server: RunningChatServer) -> None:
    asked = await server.client.options("/v1/chat/completions", headers={"Origin": APP, **PREFLIGHT})
    assert asked.status_code == 405
    assert not [name for name in asked.headers if name.startswith("access-control")]


async def test_a_named_site_may_ask_and_read(opened: RunningChatServer) -> None:
    wanted = {"Access-Control-Request-Headers": "authorization, content-type, x-stainless-lang"}
    preflight = await opened.client.options("/v1/chat/completions", headers={"Origin": APP, **PREFLIGHT, **wanted})
    assert preflight.status_code == 200
    assert preflight.headers["Access-Control-Allow-Origin"] == APP
    assert "POST" in preflight.headers["Access-Control-Allow-Methods"]
    for name in ("authorization", "content-type", "x-stainless-lang"):
        assert name in preflight.headers["Access-Control-Allow-Headers"].lower()

    answered = await ask(opened, **{"Origin": APP, "Sec-Fetch-Site": "cross-site"})
    assert (answered.status_code, answered.headers["Access-Control-Allow-Origin"]) == (200, APP)
    exposed = answered.headers["Access-Control-Expose-Headers"]
    assert {"X-Beaver-Session", "X-Request-Id", "Retry-After", "RateLimit"} <= set(exposed.split(", "))
    assert "Origin" in answered.headers["Vary"]


async def test_another_site_may_neither_ask_nor_read(opened: RunningChatServer) -> None:
    evil = {"Origin": "https://evil.example"}
    preflight = await opened.client.options("/v1/chat/completions", headers={**evil, **PREFLIGHT})
    read = await opened.client.get("/v1/sessions", headers=evil)
    assert preflight.status_code == 400
    for each in (preflight, read):
        assert "Access-Control-Allow-Origin" not in each.headers
    assert (await ask(opened, **evil)).status_code == 403


async def test_no_answer_ever_takes_cookies_along(opened: RunningChatServer) -> None:
    asked = await opened.client.options("/v1/chat/completions", headers={"Origin": APP, **PREFLIGHT})
    answered = await opened.client.get("/v1/sessions", headers={"Origin": APP, "Cookie": "a=b"})
    for each in (asked, answered):
        assert "Access-Control-Allow-Credentials" not in each.headers


async def test_a_page_of_a_named_site_can_read_why_it_is_refused_and_ask_without_a_key_first(tmp_path: Path) -> None:
    config = {**CURATED, "server": {"requireKeys": True, "corsOrigins": [APP]}}
    async with running_chat_server(tmp_path, [ANSWER], config=config) as server:
        preflight = await server.client.options("/v1/chat/completions", headers={"Origin": APP, **PREFLIGHT})
        refused = await ask(server, Origin=APP)
    assert preflight.status_code == 200
    assert (refused.status_code, refused.headers["Access-Control-Allow-Origin"]) == (401, APP)


@pytest.mark.parametrize(
    "origin", ["*", "app.example", "https://app.example/", "https://*.example", "https://A.example", ""]
)
def test_an_origin_that_no_browser_sends_is_refused_with_the_rule(origin: str) -> None:
    with pytest.raises(ValueError, match=r"must hold origins in lower case"):
        ServerSettings(cors_origins=(origin,))


@pytest.mark.parametrize("proxy", ["*", "proxy.example", "10.0.0.1/8", ""])
def test_a_proxy_that_is_no_address_is_refused_with_the_rule(proxy: str) -> None:
    with pytest.raises(ValueError, match=r"must hold IP addresses or networks"):
        ServerSettings(trusted_proxies=(proxy,))
