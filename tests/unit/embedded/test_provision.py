"""The first configuration: what is in it, and that nothing is ever overwritten."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from beaver.config.loader import load_settings, parse_settings
from beaver.config.memory import Hybrid
from beaver.config.paths import InstancePaths
from beaver.config.settings import Settings
from beaver.config.write import add_to_config, write_new_config
from beaver.embedded.provision import first_config, memory_config, provision
from beaver.errors import ConfigError, Conflict, PeerFault, Unavailable
from beaver.schemas.gateway import SCOPES, USERS_PATH, UserReceipt
from tests.support.gateway_stub import ok, running_gateway_stub, status
from tests.support.ports import free_ports

ANNA = UserReceipt(user_id="anna", user_key="uk_0123456789")


def on_port(root: Path, port: int) -> Settings:
    return parse_settings(InstancePaths.at(root), {"gatewayServer": {"port": port}}, {})


def test_the_first_configuration_is_explicit_hybrid_over_all_scopes_at_the_chosen_ports(tmp_path: Path) -> None:
    chosen = on_port(tmp_path, 8123)
    write_new_config(chosen.paths, first_config(chosen, ANNA))
    written = load_settings(chosen.paths, {})

    assert isinstance(written.memory, Hybrid)
    assert written.memory.explicit
    gateway = written.memory.gateway
    assert (gateway.base_url, gateway.user_id, gateway.scope) == ("http://127.0.0.1:8123", "anna", SCOPES)
    assert gateway.user_key.get_secret_value() == "uk_0123456789"
    assert gateway.honours_idempotency_key
    assert (written.gateway_server.port, written.server.port) == (8123, 8000)
    assert stat.S_IMODE(chosen.paths.config.stat().st_mode) == 0o600


async def test_a_user_of_the_running_gateway_is_written_down(tmp_path: Path) -> None:
    async with running_gateway_stub() as stub:
        stub.always(USERS_PATH, ok({"user_id": "anna", "user_key": "uk_0123456789"}))
        chosen = on_port(tmp_path, int(stub.url.rpartition(":")[2]))
        await provision(chosen)
    written = load_settings(chosen.paths, {}).memory
    assert isinstance(written, Hybrid)
    assert written.gateway.user_id == "anna"


async def test_a_gateway_that_makes_no_user_leaves_no_configuration(tmp_path: Path) -> None:
    async with running_gateway_stub() as stub:
        chosen = on_port(tmp_path, int(stub.url.rpartition(":")[2]))
        for fault, said in ((status(503), "HTTP 503"), (ok({"status": "ok"}), "none that we know")):
            stub.always(USERS_PATH, fault)
            with pytest.raises(PeerFault, match=said):
                await provision(chosen)
    with pytest.raises(Unavailable):
        await provision(on_port(tmp_path, free_ports(1)[0]))
    assert not chosen.paths.config.exists()


@pytest.mark.parametrize("before", [{}, {"memory": None}])
def test_a_section_is_added_to_a_configuration_that_keeps_all_it_said(tmp_path: Path, before: dict[str, None]) -> None:
    chosen = on_port(tmp_path, 8123)
    said = {"provider": {"kind": "openai", "model": "m", "apiKey": "${NAME}"}, "gatewayServer": {"port": 8123}}
    chosen.paths.home.mkdir()
    chosen.paths.config.write_text(json.dumps({**said, **before}))
    add_to_config(chosen.paths, "memory", memory_config(chosen, ANNA))

    document = json.loads(chosen.paths.config.read_text())
    assert document.pop("memory")["gateway"]["userId"] == "anna"
    assert document == said
    assert stat.S_IMODE(chosen.paths.config.stat().st_mode) == 0o600


def test_what_a_configuration_says_is_never_overwritten(tmp_path: Path) -> None:
    chosen = on_port(tmp_path, 8123)
    chosen.paths.home.mkdir()
    chosen.paths.config.write_text(json.dumps({"memory": {"gateway": {"userId": "bob"}}}))
    with pytest.raises(Conflict, match=r"memory\.gateway"):
        add_to_config(chosen.paths, "memory", memory_config(chosen, ANNA))
    assert "bob" in chosen.paths.config.read_text()


def test_a_section_that_is_none_is_named(tmp_path: Path) -> None:
    chosen = on_port(tmp_path, 8123)
    chosen.paths.home.mkdir()
    chosen.paths.config.write_text(json.dumps({"memory": "on"}))
    with pytest.raises(ConfigError, match="memory: must be an object"):
        add_to_config(chosen.paths, "memory", memory_config(chosen, ANNA))
