"""Health, readiness, metrics, how each part stands, and where the server listens."""

from __future__ import annotations

import asyncio
import errno
import socket
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from beaver.config.hosts import listening_step
from beaver.config.settings import ServerSettings
from beaver.errors import ConfigError, Conflict, Unavailable
from beaver.gateway.serve import bind
from beaver.schemas.gateway import SEARCH_PATH
from beaver.server import probes
from beaver.server.serve import listen, refuse_open_address
from tests.contract.chat_server.scene import ANSWER, UNREACHABLE
from tests.contract.test_auth import LOCKED, key_of
from tests.support.chat_server import RunningChatServer, running_chat_server
from tests.support.gateway_stub import hang, running_gateway_stub
from tests.support.ports import free_ports
from tests.support.valkey import ValkeyServer

DETAIL = "/health/detail"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that are well may take their time on a busy machine."""
    monkeypatch.setattr(probes, "PROBE_S", 30)


async def test_gateway_and_redis_down_fail_neither_liveness_nor_readiness(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [ANSWER], config=UNREACHABLE) as server:
        assert (await server.client.get("/health")).json() == {"status": "ok"}
        assert (await server.client.get("/ready")).json() == {"status": "ok"}
        assert (await server.say("Hello")).status_code == 200


async def test_the_metrics_hold_the_ledgers_and_no_words(server: RunningChatServer) -> None:
    await server.say("What do beavers do?")
    response = await server.client.get("/metrics")
    assert response.headers["Content-Type"].startswith("text/plain; version=")
    lines = response.text.splitlines()
    assert 'beaver_outbox_turns{state="pending"} 0.0' in lines
    assert "beaver_ledger_up 1.0" in lines
    assert "beavers do" not in response.text


async def test_without_its_session_store_the_server_lives_but_is_not_ready(
    server: RunningChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> Any:
        raise Unavailable("the database cannot serve")

    monkeypatch.setattr(server.engine.database, "write", away)
    assert (await server.client.get("/health")).status_code == 200
    assert (await server.client.get("/ready")).status_code == 503


def take_away(root: Path) -> None:
    for file in root.rglob("sessions.db*"):
        file.unlink()


async def test_a_session_store_whose_file_is_gone_takes_no_turn_that_would_be_lost(
    server: RunningChatServer, tmp_path: Path
) -> None:
    await server.say("Hello", "s1")
    take_away(tmp_path)
    assert (await server.client.get("/ready")).status_code == 503
    assert (await server.say("Hello", "s1")).status_code == 503
    detail = (await server.client.get(DETAIL)).json()
    assert "its file is gone" in detail["parts"]["sessions"]["trouble"]


async def test_a_session_store_that_hangs_makes_the_server_unready_within_a_bound(
    server: RunningChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def hanging() -> Any:
        await asyncio.Event().wait()
        yield

    monkeypatch.setattr(probes, "PROBE_S", 0.05)
    monkeypatch.setattr(server.engine.database, "read", hanging)
    monkeypatch.setattr(server.engine.database, "write", hanging)
    ready = await server.client.get("/ready")
    assert (ready.status_code, ready.json()) == (503, {"status": "unavailable"})
    detail = (await server.client.get(DETAIL)).json()
    assert (detail["status"], detail["ledger"]) == ("unavailable", None)
    assert detail["parts"]["sessions"]["trouble"] == "did not answer within 0.05 s"


async def test_the_detail_tells_the_version_the_ledger_and_that_unused_parts_were_not_asked(
    server: RunningChatServer,
) -> None:
    detail = (await server.client.get(DETAIL)).json()
    assert (detail["status"], detail["version"], detail["runs_under_way"]) == ("ok", version("beaver-agent"), 0)
    assert {name: part["status"] for name, part in detail["parts"].items()} == {
        "sessions": "ok",
        "queue": "unused",
        "gateway": "unused",
    }
    assert detail["ledger"]["turns"]["pending"] == 0
    assert (detail["ledger"]["ready"], detail["ledger"]["workers_alive"]) == (0, 0)
    assert detail["ledger"]["oldest_pending_age_seconds"] == 0


async def test_the_detail_says_in_words_which_part_is_away_and_no_secret(tmp_path: Path) -> None:
    config = {**UNREACHABLE, "queue": {"redisUrl": "redis://:canary-password@127.0.0.1:1"}}
    async with running_chat_server(tmp_path, [ANSWER], config=config) as server:
        response = await server.client.get(DETAIL)
    detail = response.json()
    assert (response.status_code, detail["status"]) == (200, "degraded")
    assert detail["parts"]["gateway"]["trouble"] == "search /memories/search failed: connect_failed"
    assert detail["parts"]["queue"]["trouble"] == "connection refused: nothing listens there"
    assert "canary" not in response.text
    assert "uk_0123456789" not in response.text


@pytest.mark.parametrize("hangs", [False, True])
async def test_the_detail_asks_queue_and_gateway_and_waits_for_none_beyond_its_bound(
    tmp_path: Path, valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch, hangs: bool
) -> None:
    async with running_gateway_stub() as stub:
        gateway = {"baseUrl": stub.url, "userId": "anna", "userKey": "uk_0123456789", "timeoutSeconds": 600}
        queue = {"redisUrl": valkey.url, "enqueueTimeoutMs": 10_000}
        config = {"memory": {"mode": "hybrid", "gateway": gateway}, "queue": queue}
        if hangs:
            monkeypatch.setattr(probes, "PROBE_S", 1)
            stub.always(SEARCH_PATH, hang())
        async with running_chat_server(tmp_path, [ANSWER], config=config) as server:
            detail = (await server.client.get(DETAIL)).json()
    assert detail["parts"]["gateway"]["trouble"] == ("did not answer within 1 s" if hangs else None)
    assert hangs or (detail["status"], detail["parts"]["queue"]["status"]) == ("ok", "ok")


async def test_a_drain_is_told_by_readiness_and_detail_and_not_by_liveness(server: RunningChatServer) -> None:
    server.runs.begin_drain()
    assert (await server.client.get("/health")).status_code == 200
    ready = await server.client.get("/ready")
    assert (ready.status_code, ready.json()) == (503, {"status": "draining"})
    assert (await server.client.get(DETAIL)).json()["status"] == "draining"


async def test_the_detail_needs_a_key_for_operators(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [ANSWER], config=LOCKED) as server:
        chat = await key_of(server.engine.database, "chat", "read", key_id="k1")
        admin = await key_of(server.engine.database, "admin", key_id="k2")
        asked = [await server.client.get(DETAIL, headers=headers) for headers in ({}, chat, admin)]
    assert [response.status_code for response in asked] == [401, 403, 200]


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", "::"])
def test_an_address_beyond_this_machine_is_refused_without_keys(host: str) -> None:
    with pytest.raises(ConfigError, match=r"server\.requireKeys: must not be false"):
        refuse_open_address(ServerSettings(host=host, require_keys=False))
    refuse_open_address(ServerSettings(host=host))


@pytest.mark.parametrize(
    ("error", "setting"),
    [
        (OSError(errno.EADDRINUSE, "Address already in use"), "another server.port"),
        (PermissionError(errno.EACCES, "Permission denied"), "server.port"),
        (OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address"), "server.host"),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "server.host"),
    ],
)
def test_what_cannot_be_listened_on_is_told_with_what_to_set(error: OSError, setting: str) -> None:
    assert f"set {setting} " in listening_step(error, "server")


def test_an_address_of_another_machine_is_no_port_that_is_taken() -> None:
    with pytest.raises(Unavailable, match=r"192\.0\.2\.1 .*set server\.host"):
        listen(ServerSettings(host="192.0.2.1", port=free_ports(1)[0]))
    with pytest.raises(Unavailable, match=r"192\.0\.2\.1 .*set gatewayServer\.host"):
        bind("192.0.2.1", free_ports(1)[0])


def test_a_port_that_is_taken_is_named_with_its_setting() -> None:
    (port,) = free_ports(1)
    with listen(ServerSettings(port=port)) as held:
        held.listen()
        with pytest.raises(Conflict, match=rf"port {port} .*set another server\.port"):
            listen(ServerSettings(port=port))
