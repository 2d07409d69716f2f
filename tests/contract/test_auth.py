"""Keys, hosts and headers of the chat server: who gets in, for what, and what is told about it."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import Request

from beaver.config.chat_needs import needs_keys
from beaver.config.settings import ServerSettings
from beaver.db.engine import Database
from beaver.errors import ConfigError, Unauthenticated, Unavailable
from beaver.logs import configure_logs
from beaver.redaction import Redactor
from beaver.server.guard import keyring
from beaver.server.guard.auth import caller_of
from beaver.server.guard.paths import scope_for
from beaver.server.guard.security import hosts_of
from beaver.server.serve import refuse_without_key
from beaver.sessions.key_store import KeyStore
from beaver.sessions.keys import make_key
from tests.contract.chat_server.scene import ANSWER
from tests.support.chat_server import CURATED, RunningChatServer, running_chat_server
from tests.support.kept_logging import kept_logging

LOCKED = {**CURATED, "server": {"requireKeys": True, "allowedHosts": ["chat.example"]}}
ASKED = {"messages": [{"role": "user", "content": "What do beavers do?"}]}


@pytest.fixture
async def locked(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    async with running_chat_server(tmp_path, [ANSWER] * 3, config=LOCKED) as running:
        yield running


@pytest.fixture
async def neighbourly(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    async with running_chat_server(tmp_path, [ANSWER]) as running:
        yield running


async def key_of(database: Database, *scopes: str, key_id: str = "k1") -> dict[str, str]:
    """The header with a fresh key."""
    key, store = make_key(), KeyStore(database.dialect)
    async with database.write() as tx:
        await store.add(tx, key_id, key, name="n", scopes=frozenset(scopes), front_end=False, lifetime_ms=None)
    return {"Authorization": f"Bearer {key.secret}"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic YTpi"},
        {"Authorization": "Bearer sk-other"},
        {"Authorization": f"Bearer bvr_{'x' * 43}"},
        {"Authorization": f"Bearer bvr_{'x' * 5000}"},
    ],
)
async def test_without_an_active_key_nothing_is_answered(locked: RunningChatServer, headers: dict[str, str]) -> None:
    for method, path in [("POST", "/v1/chat/completions"), ("GET", "/v1/sessions"), ("GET", "/metrics"), ("GET", "/x")]:
        response = await locked.client.request(method, path, json=ASKED, headers=headers)
        assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, "Bearer")
        assert response.json()["error"]["code"] == "unauthenticated"


async def test_health_and_the_page_are_open(locked: RunningChatServer) -> None:
    assert [(await locked.client.get(path)).status_code for path in ("/health", "/ready")] == [200, 200]
    assert (await locked.client.get("/")).status_code != 401


async def test_a_key_opens_what_its_scope_names_and_no_more(locked: RunningChatServer) -> None:
    chat = await key_of(locked.engine.database, "chat", key_id="k1")
    read = await key_of(locked.engine.database, "read", key_id="k2")
    admin = await key_of(locked.engine.database, "admin", key_id="k3")
    asks: list[tuple[str, str, Any]] = [
        ("POST", "/v1/chat/completions", ASKED),
        ("GET", "/v1/sessions", None),
        ("GET", "/metrics", None),
        ("DELETE", "/v1/sessions/nothing", None),
    ]
    got = [
        [(await locked.client.request(method, path, json=body, headers=key)).status_code for method, path, body in asks]
        for key in (chat, read, admin)
    ]
    assert got == [[200, 403, 403, 403], [403, 200, 403, 403], [403, 403, 200, 404]]


async def test_a_key_is_looked_up_once_and_a_revoked_one_is_believed_no_longer_than_said(
    locked: RunningChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, looked = locked.engine.database, 0
    find = KeyStore.find

    async def counted(*arguments: Any) -> Any:
        nonlocal looked
        looked += 1
        return await find(*arguments)

    monkeypatch.setattr(KeyStore, "find", counted)
    key, clock = await key_of(database, "read"), [0.0]
    monkeypatch.setattr(keyring, "monotonic", lambda: clock[0])
    assert [(await locked.client.get("/v1/sessions", headers=key)).status_code for _ in range(3)] == [200] * 3
    assert looked == 1
    async with database.write() as tx:
        await KeyStore(database.dialect).revoke(tx, "k1")
    clock[0] = keyring.BELIEVED_S
    assert (await locked.client.get("/v1/sessions", headers=key)).status_code == 401


async def test_without_the_session_store_a_key_is_neither_right_nor_wrong(
    locked: RunningChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = await key_of(locked.engine.database, "read")

    def away() -> Any:
        raise Unavailable("the database cannot serve")

    monkeypatch.setattr(locked.engine.database, "read", away)
    assert (await locked.client.get("/v1/sessions", headers=key)).status_code == 503


async def test_on_this_machine_no_key_is_needed_unless_it_is_set(neighbourly: RunningChatServer) -> None:
    assert (await neighbourly.say("What do beavers do?")).status_code == 200
    assert (await neighbourly.client.get("/metrics")).status_code == 200


@pytest.mark.parametrize(
    ("host", "required", "needed"),
    [
        ("127.0.0.1", None, False),
        ("127.0.0.1", True, True),
        ("::1", None, False),
        ("0.0.0.0", None, True),
        ("0.0.0.0", True, True),
    ],
)
def test_keys_are_needed_beyond_this_machine_or_where_set(host: str, required: bool | None, needed: bool) -> None:
    assert needs_keys(ServerSettings(host=host, require_keys=required)) is needed


def test_a_path_that_nobody_thought_of_needs_admin() -> None:
    assert {scope_for("GET", path) for path in ("/new", "/metrics", "/v1/sessionsx", "//health")} == {"admin"}
    assert scope_for("DELETE", "/v1/sessions/s") == "admin"


async def test_a_server_that_needs_keys_does_not_start_without_one(database: Database) -> None:
    server = ServerSettings(host="0.0.0.0")
    with pytest.raises(ConfigError, match=r"beaver keys create"):
        await refuse_without_key(server, database)
    await key_of(database, "chat")
    await refuse_without_key(server, database)


def test_a_request_that_no_check_has_seen_has_no_caller() -> None:
    with pytest.raises(Unauthenticated):
        caller_of(Request({"type": "http", "headers": []}))


@pytest.mark.parametrize("host", ["localhost:1", "127.0.0.1", "[::1]:8000", "LOCALHOST", "chat.example:443"])
async def test_the_servers_own_names_are_answered(locked: RunningChatServer, host: str) -> None:
    assert (await locked.client.get("/v1/models", headers={"Host": host})).status_code == 401


@pytest.mark.parametrize(
    "host", ["rebound.example", "localhost.example", "127.0.0.1.example:80", "", "[::1", "a@localhost"]
)
async def test_another_host_is_refused_before_anything_else(locked: RunningChatServer, host: str) -> None:
    response = await locked.client.get("/v1/models", headers={"Host": host})
    assert (response.status_code, response.json()["error"]["param"]) == (400, "Host")


async def test_a_probe_of_health_may_name_any_address(locked: RunningChatServer) -> None:
    assert (await locked.client.get("/health", headers={"Host": "10.1.2.3:8000"})).status_code == 200


def test_beyond_this_machine_hosts_are_checked_only_where_named() -> None:
    assert hosts_of(ServerSettings(host="0.0.0.0")) is None
    assert hosts_of(ServerSettings(host="0.0.0.0", allowed_hosts=("Chat.example",))) == frozenset({"chat.example"})


async def test_every_answer_has_the_headers_for_browsers_and_none_opens_it_to_other_sites(
    locked: RunningChatServer,
) -> None:
    for path in ("/health", "/v1/sessions"):
        headers = (await locked.client.get(path, headers={"Origin": "https://other.example"})).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Cache-Control"] == "no-store"
        assert not [name for name in headers if name.startswith("access-control")]


@pytest.mark.parametrize("given", ["", "two words", "x" * 129, "caf\xe9"])
async def test_a_request_id_is_taken_when_sane_and_made_otherwise(locked: RunningChatServer, given: str) -> None:
    taken = await locked.client.get("/health", headers={"X-Request-Id": "abc-1"})
    made = await locked.client.get("/health", headers=[(b"X-Request-Id", given.encode("latin-1"))])
    assert taken.headers["X-Request-Id"] == "abc-1"
    assert made.headers["X-Request-Id"].startswith("request_")


async def test_a_fault_is_answered_with_the_id_too(
    neighbourly: RunningChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> Any:
        raise RuntimeError("words that stay inside")

    monkeypatch.setattr(neighbourly.engine.database, "read", broken)
    response = await neighbourly.client.get("/v1/sessions", headers={"X-Request-Id": "abc-1"})
    assert (response.status_code, response.headers["X-Request-Id"]) == (500, "abc-1")
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.json()["error"]["code"] == "internal"


async def test_the_log_names_route_and_key_and_holds_no_key_path_query_or_word(tmp_path: Path) -> None:
    stream = io.StringIO()
    with kept_logging():
        configure_logs("chat", Redactor(), stream=stream)
        async with running_chat_server(tmp_path, [ANSWER], config=LOCKED) as server:
            key = await key_of(server.engine.database, "chat", "read")
            wrong = {"Authorization": f"Bearer {make_key().secret}"}
            secrets = [held["Authorization"].removeprefix("Bearer ") for held in (key, wrong)]
            named = {**key, "X-Request-Id": "abc-1"}
            await server.client.get("/v1/sessions/canary-path?q=canary-query", headers=named)
            await server.client.get("/metrics", headers={**key, "X-Request-Id": secrets[0]})
            await server.client.get("/v1/sessions", headers=wrong)
            await server.client.post("/v1/chat/completions", json=ASKED, headers=key)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    told = [line for line in lines if line["event"] == "http.request"]
    assert [(line["method"], line["route"], line["status"], line["key_id"]) for line in told] == [
        ("GET", "/v1/sessions/{session_id}", 404, "k1"),
        ("GET", "/metrics", 403, "k1"),
        ("GET", "/v1/sessions", 401, None),
        ("POST", "/v1/chat/completions", 200, "k1"),
    ]
    assert told[0]["request_id"] == "abc-1"
    assert all(isinstance(line["ms"], int) for line in told)
    canaries = [*secrets, "canary-path", "canary-query", "What do beavers do?"]
    assert [canary for canary in canaries if canary in stream.getvalue()] == []
