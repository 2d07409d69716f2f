"""The import rules hold on this tree, and each of them is able to catch a violation."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# contract's name -> (file to plant in, import to plant)
VIOLATIONS = {
    "Imports go down the house only": ("beaver/schemas/planted.py", "import beaver.sessions.store"),
    "Only HTTP lies between the chat side and the memory engine": (
        "beaver/agent/planted.py",
        "import beaver.memory.runtime",
    ),
    "The chat side's local store is filled from the memory engine in one place": (
        "beaver/cli/queue/planted.py",
        "import beaver.cli.local_memory.store",
    ),
    "The worker carries no agent, no provider SDK, no web server": ("worker/planted.py", "import starlette"),
    "Beaver never imports the worker": ("beaver/cli/planted.py", "import worker.app"),
    "The Memory Gateway knows no agent, no client, no queue": ("beaver/memory/planted.py", "import redis"),
    "arq is imported by the queue client and the worker only": ("beaver/outbox/planted.py", "import arq"),
    "Leaves import nothing of the house above them": ("beaver/text.py", "import beaver.schemas.wire"),
    "No cycles anywhere": ("beaver/outbox/states.py", "import beaver.outbox.store"),
}


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as lint; lint()", "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_the_tree_keeps_its_contracts() -> None:
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout
    assert " 0 broken" in result.stdout


@pytest.fixture(scope="module")
def broken_report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the linter says of a copy of the tree in which every contract is violated once."""
    folder = tmp_path_factory.mktemp("planted")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in ("beaver", "worker"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for file, statement in VIOLATIONS.values():
        with (folder / file).open("a") as planted:
            planted.write(f"\n{statement}\n")
    result = lint_imports(folder)
    assert result.returncode == 1, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_a_planted_violation_is_caught(broken_report: str, contract: str) -> None:
    assert f"{contract} BROKEN" in broken_report
