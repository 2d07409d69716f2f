"""Which parts an instance runs itself, and how it starts them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.config.settings import GATEWAY_DRAIN_S, Settings
from beaver.embedded import parts
from beaver.embedded.supervisor import Life, Part
from tests.support.gateway_stub import ok, running_gateway_stub


def settings(root: Path, raw: dict[str, Any]) -> Settings:
    return parse_settings(InstancePaths.at(root), raw, {})


def hybrid(base_url: str, **further: Any) -> dict[str, Any]:
    return {
        "memory": {"mode": "hybrid", "gateway": {"baseUrl": base_url, "userId": "anna", "userKey": "uk_0123456789"}},
        **further,
    }


@pytest.mark.parametrize(
    ("base_url", "ours"),
    [
        ("http://127.0.0.1:8010", True),
        ("http://localhost:8010", True),
        ("http://127.0.0.1:8011", False),
        ("http://memory.example.org:8010", False),
        ("https://memory.example.org", False),
    ],
)
def test_the_gateway_of_this_folder_is_run_and_any_other_is_not(tmp_path: Path, base_url: str, ours: bool) -> None:
    assert parts.runs_gateway(settings(tmp_path, hybrid(base_url))) is ours


def test_without_credentials_the_gateway_is_run_but_there_is_nothing_to_persist(tmp_path: Path) -> None:
    degraded = settings(tmp_path, {})
    assert (parts.runs_queue(degraded), parts.runs_gateway(degraded), parts.runs_worker(degraded)) == (
        True,
        True,
        False,
    )


def test_curated_mode_runs_no_part_of_the_gateway_layer(tmp_path: Path) -> None:
    curated = settings(tmp_path, {"memory": {"mode": "curated"}})
    assert not any((parts.runs_queue(curated), parts.runs_gateway(curated), parts.runs_worker(curated)))


def test_a_configured_queue_is_not_run_here(tmp_path: Path) -> None:
    elsewhere = settings(tmp_path, hybrid("http://127.0.0.1:8010", queue={"redisUrl": "redis://queue.example.org"}))
    assert not parts.runs_queue(elsewhere)


def test_python_parts_never_take_modules_from_the_users_folder(tmp_path: Path) -> None:
    chosen = settings(tmp_path, hybrid("http://127.0.0.1:8010"))
    for part in (parts.gateway_part(chosen), parts.worker_part(chosen), parts.server_part(chosen)):
        assert part.command[:3] == (sys.executable, "-P", "-m")


@pytest.mark.parametrize(("make", "section"), [(parts.worker_part, "worker"), (parts.server_part, "server")])
def test_a_part_has_more_time_to_stop_than_it_is_configured_to_drain(
    tmp_path: Path, make: Callable[[Settings], Part], section: str
) -> None:
    patient = settings(tmp_path, hybrid("http://127.0.0.1:8010", **{section: {"drainSeconds": 300}}))
    assert make(patient).stop_within_s > 300


def test_the_gateway_has_more_time_to_stop_than_its_requests_have(tmp_path: Path) -> None:
    assert parts.gateway_part(settings(tmp_path, hybrid("http://127.0.0.1:8010"))).stop_within_s > GATEWAY_DRAIN_S


def test_no_command_line_holds_a_secret(tmp_path: Path) -> None:
    chosen = settings(tmp_path, hybrid("http://127.0.0.1:8010"))
    every = (parts.queue_part, parts.gateway_part, parts.worker_part, parts.server_part)
    assert "uk_0123456789" not in " ".join(" ".join((*make(chosen).command, make(chosen).address)) for make in every)


async def test_the_worker_is_ready_once_its_log_of_this_life_says_so(tmp_path: Path) -> None:
    probe = parts.worker_part(settings(tmp_path, hybrid("http://127.0.0.1:8010"))).probe
    log = tmp_path / "worker.log"
    former = '{"event": "worker.ready", "role": "worker"}\n'
    log.write_text(former)
    life = Life(log, len(former))

    assert not await probe(life)
    with log.open("a") as file:
        file.write('{"event": "worker.ready", "role": "worker"}\n')
    assert await probe(life)


@pytest.mark.parametrize(
    ("make", "section", "event"),
    [
        (parts.gateway_part, "gatewayServer", "gateway.started"),
        (parts.server_part, "server", "server.listening"),
    ],
)
async def test_another_program_that_answers_at_a_parts_port_does_not_make_it_ready(
    tmp_path: Path, make: Callable[[Settings], Part], section: str, event: str
) -> None:
    life = Life(tmp_path / "part.log", 0)
    async with running_gateway_stub() as other:
        other.always("/health", ok({"status": "ok"}))
        probe = make(settings(tmp_path, {section: {"port": int(other.url.rpartition(":")[2])}})).probe
        assert not await probe(life)
        life.log.write_text(f'{{"event": "{event}"}}\n')
        assert await probe(life)


@pytest.mark.parametrize(("host", "url"), [("127.0.0.1", "http://127.0.0.1:80"), ("::1", "http://[::1]:80")])
def test_an_address_of_version_six_stands_in_brackets(host: str, url: str) -> None:
    assert parts.http_url(host, 80) == url
