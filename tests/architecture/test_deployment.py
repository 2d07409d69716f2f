"""What `compose.yaml`, `Procfile` and the README say of a deployment, read from the files and tried where it can be."""

from __future__ import annotations

import configparser
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from beaver.cli.main import app
from beaver.client.jobs import PersistQueue, QueueLook
from beaver.config.loader import decode_config, parse_settings
from beaver.config.paths import InstancePaths
from beaver.config.settings import GATEWAY_DRAIN_S, Settings, WorkerSettings
from beaver.embedded.valkey import find_server_binary
from beaver.server.runs.registry import DRAIN_S as CHAT_DRAIN_S
from tests.support.ports import free_ports
from tests.support.valkey_kinds import short_folder
from tests.support.waiting import wait_until

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DEPLOY = (ROOT / "README.md").read_text().partition("<!-- deploy -->")[2].partition("<!-- /deploy -->")[0]
ONE_SHOT = {"migrate"}
OURS = {name for name, service in SERVICES.items() if "build" in service}
WORKER_DRAIN_S = WorkerSettings().drain_seconds
DRAINS_S = {"chat-1": CHAT_DRAIN_S, "chat-2": CHAT_DRAIN_S, "worker": WORKER_DRAIN_S, "gateway": GATEWAY_DRAIN_S}


def test_the_composition_has_two_chat_servers_two_workers_and_one_of_the_rest() -> None:
    copies = {name: service.get("deploy", {}).get("replicas", 1) for name, service in SERVICES.items()}
    assert copies == {
        "chat-1": 1, "chat-2": 1, "edge": 1, "worker": 2, "gateway": 1, "migrate": 1, "queue": 1, "postgres": 1
    }  # fmt: skip


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_no_root_writes_no_image_and_has_no_capability(name: str) -> None:
    service = SERVICES[name]
    assert int(service["user"].partition(":")[0]) > 0
    assert service["read_only"] is True
    assert any(mount.partition(":")[0] == "/tmp" for mount in service["tmpfs"])
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service


def test_what_a_service_is_given_is_mounted_since_nothing_can_be_written_into_a_root_that_is_read_only() -> None:
    for kind in ("configs", "secrets"):
        assert {tuple(source) for source in COMPOSE[kind].values()} == {("file",)}
    assert {(ROOT / source["file"]).parent.name for source in COMPOSE["configs"].values()} == {".compose"}


@pytest.mark.parametrize("name", sorted(SERVICES.keys() - ONE_SHOT))
def test_a_service_that_stays_has_a_health_check_and_time_to_stop(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"][0] in {"CMD", "CMD-SHELL"}
    assert _seconds(SERVICES[name]["stop_grace_period"]) > DRAINS_S.get(name, 0)


def test_the_migration_runs_once_and_before_the_servers() -> None:
    assert SERVICES["migrate"]["restart"] == "no"
    for name in ("chat-1", "chat-2", "worker"):
        needs = SERVICES[name]["depends_on"]
        assert needs["migrate"]["condition"] == "service_completed_successfully"
        assert {needs[part]["condition"] for part in ("postgres", "queue", "gateway")} == {"service_healthy"}


def test_what_is_published_is_published_on_loopback_only() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"edge": ["127.0.0.1:8000:8000"]}
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert {SERVICES[name]["network_mode"] for name in ("chat-1", "chat-2")} == {"service:edge"}


def test_secrets_come_as_files_below_a_folder_that_git_and_the_image_never_see() -> None:
    assert {secret["file"] for secret in COMPOSE["secrets"].values()} == {
        f"./.beaver/secrets/{name}" for name in COMPOSE["secrets"]
    }
    assert ".beaver/" in (ROOT / ".gitignore").read_text().splitlines()
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in ignored
    assert not any(line.startswith("!.") for line in ignored)
    for service in SERVICES.values():
        values = service.get("environment", {})
        assert [name for name in values if "PASSWORD" in name and not name.endswith("_FILE")] == []


@pytest.mark.parametrize("name", ["chat_1", "chat_2", "worker", "migrate", "gateway"])
def test_a_configuration_keeps_the_rules_and_takes_only_the_secrets_its_service_is_given(
    name: str, tmp_path: Path
) -> None:
    content = _composed("configs", name)
    service = next(each for each in SERVICES.values() if each.get("configs", [{}])[0].get("source") == name)
    named = set(re.findall(r"\$\{file:/run/secrets/(\w+)\}", content))
    assert named == set(service.get("secrets", []))
    settings = _settings(content, tmp_path)
    for secret in named:
        assert f"value-of-{secret}" in settings.secrets()


def test_the_edge_spreads_over_the_ports_that_the_chat_servers_have(tmp_path: Path) -> None:
    ports = [_settings(_composed("configs", name), tmp_path).server.port for name in ("chat_1", "chat_2")]
    edge = _composed("configs", "edge")
    assert [int(port) for port in re.findall(r"server chat-\d 127\.0\.0\.1:(\d+)", edge)] == ports
    for number, port in enumerate(ports, 1):
        assert f"127.0.0.1:{port}/health" in str(SERVICES[f"chat-{number}"]["healthcheck"]["test"])


def test_the_worker_s_image_holds_the_worker_alone() -> None:
    extras = SERVICES["worker"]["build"]["args"]["EXTRAS"].replace("--extra", "").split()
    assert extras == ["worker", "postgres"]
    assert SERVICES["worker"]["command"] == ["python", "-m", "worker"]


def test_the_image_is_built_in_two_stages_compiled_and_ends_as_a_user() -> None:
    for name in OURS:
        dockerfile = SERVICES[name]["build"]["dockerfile_inline"]
        assert dockerfile.count("FROM ") == 2
        assert "UV_COMPILE_BYTECODE=1" in dockerfile
        assert dockerfile.rstrip().endswith("USER 10001:10001")


async def test_the_queue_as_composed_takes_our_rings_evicts_nothing_and_knows_nobody_else(queue_server: str) -> None:
    queue = PersistQueue.open(queue_server, timeout_ms=1_000)
    strangers = PersistQueue.open(queue_server.replace("beaver:word@", ""), timeout_ms=1_000)

    async def usable() -> bool:
        return await queue.look() == QueueLook(None)

    await wait_until(usable, what="the composed queue server")
    assert "NOAUTH" in str((await strangers.look()).trouble)
    await queue.aclose()
    await strangers.aclose()


def test_every_copy_of_the_queue_s_rule_is_the_same() -> None:
    documented = re.search(r"^ACL SETUSER beaver on >PASSWORD (.+)$", DEPLOY, re.MULTILINE)
    assert documented is not None
    assert f"user beaver on >%s {documented[1]}\\n" in SERVICES["queue"]["command"][2]


@pytest.mark.parametrize("line", (ROOT / "Procfile").read_text().splitlines())
def test_a_line_of_the_procfile_starts_something_there_is(line: str) -> None:
    _, _, command = line.partition(": ")
    program, *arguments = command.split()
    assert program == "beaver"
    assert CliRunner().invoke(app, [*arguments, "--help"]).exit_code == 0


def test_the_unit_gives_the_worker_longer_than_its_drain_and_no_rights() -> None:
    written = re.search(r"```ini\n(.+?)```", DEPLOY, re.DOTALL)
    assert written is not None
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(written[1])
    service = unit["Service"]
    assert float(service["TimeoutStopSec"]) > WORKER_DRAIN_S
    assert (service["DynamicUser"], service["ProtectSystem"], service["NoNewPrivileges"]) == ("yes", "strict", "yes")
    assert "LoadCredential" in service
    assert service["CapabilityBoundingSet"] == ""


def test_the_metrics_that_the_readme_scales_on_exist() -> None:
    source = (ROOT / "beaver" / "outbox" / "metrics.py").read_text()
    named = set(re.findall(r"\bbeaver_\w+", DEPLOY))
    assert {"beaver_outbox_ready", "beaver_outbox_oldest_pending_age_seconds"} <= named
    assert [name for name in named if f'"{name}"' not in source] == []


@pytest.fixture
def queue_server() -> Iterator[str]:
    """The composed queue's own start script, run on this machine with its paths and program put in place; its URL."""
    port = free_ports(1)[0]
    with short_folder() as folder:
        (folder / "queue_password").write_text("word\n")
        script = SERVICES["queue"]["command"][2].replace("$$", "$")
        for written, here in {
            "/run/secrets/": f"{folder}/",
            "/tmp/users.acl": f"{folder}/users.acl",
            "exec valkey-server": f"exec {find_server_binary()} --port {port}",
            "--dir /data": f"--dir {folder}",
        }.items():
            assert written in script
            script = script.replace(written, here)
        process = subprocess.Popen(["sh", "-euc", script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield f"redis://beaver:word@127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait(10)


def _composed(kind: str, name: str) -> str:
    """A file as the containers see it."""
    path: str = COMPOSE[kind][name]["file"]
    return (ROOT / path).read_text()


def _settings(content: str, folder: Path) -> Settings:
    for name in COMPOSE["secrets"]:
        (folder / name).write_text(f"value-of-{name}\n")
    here = content.replace("/run/secrets/", f"{folder}/")
    assert json.loads(here)
    return parse_settings(InstancePaths(Path("/nowhere")), decode_config(here.encode()), {})


def _seconds(text: str) -> float:
    assert text.endswith("s")
    return float(text.removesuffix("s"))
