"""arq is wired as the pipeline needs it, and a worker that is not refuses to run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from arq.worker import Worker, create_worker

import worker.app
from beaver.config.loader import load_settings
from beaver.config.memory import GatewaySettings, gateway_of
from beaver.config.paths import InstancePaths
from beaver.config.settings import Settings
from beaver.errors import ConfigError
from tests.support.processes import ARQ_COMMAND
from tests.support.worker_instance import write_instance
from worker.__main__ import main
from worker.app import arq_settings, refuse_wrong_options, worker_options, wrong_options
from worker.timing import CLAIM_MARGIN_S, Timing


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_instance(
        tmp_path,
        database_url=f"sqlite:///{tmp_path / 'sessions.db'}",
        redis_url="unix:///nowhere.sock",
        gateway_url="http://127.0.0.1:9",
        gateway={"timeoutSeconds": 10},
        worker={"drainSeconds": 30},
    )


@pytest.fixture
def settings(root: Path) -> Settings:
    return load_settings(InstancePaths.at(root), {})


def gateway(settings: Settings) -> GatewaySettings:
    found = gateway_of(settings.memory)
    assert found is not None
    return found


async def test_a_worker_of_our_options_holds_all_of_them(settings: Settings) -> None:
    built = Worker(**worker_options(settings, gateway(settings)), handle_signals=False)
    assert wrong_options(built) == []


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [
        ("max_tries", 5, "max_tries"),
        ("retry_jobs", True, "retry_jobs"),
        ("keep_result", 3600, "keep_result"),
        ("job_serializer", None, "job_serializer"),
        ("allow_abort_jobs", True, "allow_abort_jobs"),
        ("job_completion_wait", 0, "job_completion_wait"),
        ("queue_name", "arq:queue", "queue_name"),
    ],
)
async def test_an_option_that_got_lost_is_named_and_refused(
    settings: Settings, option: str, value: Any, named: str
) -> None:
    options = {**worker_options(settings, gateway(settings)), option: value}
    with pytest.raises(RuntimeError, match=named):
        refuse_wrong_options(Worker(**options, handle_signals=False))


async def test_a_job_hook_is_refused(settings: Settings) -> None:
    async def hook(ctx: dict[Any, Any]) -> None: ...

    built = Worker(**worker_options(settings, gateway(settings)), after_job_end=hook, handle_signals=False)
    assert wrong_options(built) == ["job hooks"]


def test_the_times_nest(settings: Settings) -> None:
    timing = Timing.of(settings.worker, gateway(settings))
    assert 2 * 10 < timing.job_timeout_s <= timing.drain_s
    assert timing.claim_ms >= (timing.job_timeout_s + CLAIM_MARGIN_S) * 1000


async def test_arq_finds_its_settings_by_name(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEAVER_ROOT", str(root))
    built = create_worker(worker.app.WorkerSettings, handle_signals=False)
    assert wrong_options(built) == []


def test_arq_has_no_settings_when_the_plan_has_no_gateway(tmp_path: Path) -> None:
    write_instance(tmp_path, database_url="sqlite:///s.db", redis_url="unix:///nowhere.sock", gateway_url=None)
    with pytest.raises(ConfigError, match="no Gateway"):
        arq_settings(tmp_path)


def test_under_arq_a_configuration_that_breaks_a_rule_is_told_without_a_traceback(tmp_path: Path) -> None:
    write_instance(tmp_path, database_url="sqlite:///s.db", redis_url="unix:///nowhere.sock", gateway_url=None)
    ended = subprocess.run(
        ARQ_COMMAND,
        env={**os.environ, "BEAVER_ROOT": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        check=False,
        text=True,
    )
    told, next_step = ended.stderr.splitlines()
    assert told.startswith("worker: the configuration is not right: memory: names no Gateway")
    assert "`beaver check`" in next_step
    assert (ended.returncode, ended.stdout) == (78, "")


@pytest.mark.parametrize("asked", [(), ("--health",)])
def test_a_missing_driver_names_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], asked: tuple[str, ...]
) -> None:
    write_instance(
        tmp_path, database_url="postgresql://db/x", redis_url="unix:///nowhere.sock", gateway_url="http://127.0.0.1:9"
    )
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    assert main(["--root", str(tmp_path), *asked]) == 78
    assert "sessions.databaseUrl: needs the extra `postgres`: install beaver-agent[postgres]" in capsys.readouterr().err
    with pytest.raises(ConfigError, match="needs the extra"):
        arq_settings(tmp_path)


def test_importing_the_worker_reads_nothing_and_carries_no_agent_sdk_or_web_server(tmp_path: Path) -> None:
    seen = subprocess.run(
        [sys.executable, "-c", "import worker.__main__, sys, json; print(json.dumps(sorted(sys.modules)))"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        text=True,
    )
    loaded = json.loads(seen.stdout)
    forbidden = (
        "beaver.agent", "beaver.memory", "beaver.gateway", "beaver.server", "beaver.console", "beaver.cli", "beaver.embedded",
        "openai", "anthropic", "fastapi", "starlette", "uvicorn", "alembic", "typer",
    )  # fmt: skip
    assert [name for name in loaded if f"{name}.".startswith(tuple(f"{each}." for each in forbidden))] == []
    assert list(tmp_path.iterdir()) == []
