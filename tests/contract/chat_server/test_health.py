"""Health, readiness, metrics, and where the server listens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beaver.config.settings import ServerSettings
from beaver.embedded.probes import any_free_port
from beaver.errors import ConfigError, Conflict, Unavailable
from beaver.server.serve import listen, refuse_open_address
from tests.contract.chat_server.scene import ANSWER, UNREACHABLE
from tests.support.chat_server import RunningChatServer, running_chat_server


async def test_gateway_and_redis_down_fail_neither_liveness_nor_readiness(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [ANSWER], config=UNREACHABLE) as server:
        assert (await server.client.get("/health")).json() == {"status": "ok"}
        assert (await server.client.get("/ready")).json() == {"status": "ok"}
        assert (await server.say("Hello")).status_code == 200


async def test_the_metrics_are_the_ledgers_and_hold_no_words(server: RunningChatServer) -> None:
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

    monkeypatch.setattr(server.engine.database, "read", away)
    assert (await server.client.get("/health")).status_code == 200
    assert (await server.client.get("/ready")).status_code == 503


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", "::"])
def test_an_address_beyond_this_machine_is_refused_without_keys(host: str) -> None:
    with pytest.raises(ConfigError, match=r"server\.requireKeys: must not be false"):
        refuse_open_address(ServerSettings(host=host, require_keys=False))
    refuse_open_address(ServerSettings(host=host))


def test_a_port_that_is_taken_is_named_with_its_setting() -> None:
    port = any_free_port("127.0.0.1")
    with listen(ServerSettings(port=port)) as held:
        held.listen()
        with pytest.raises(Conflict, match=rf"port {port} .*set another server\.port"):
            listen(ServerSettings(port=port))
