"""What the README says of settings, code and commands is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from beaver.config.loader import parse_settings
from beaver.config.memory import Hybrid
from beaver.config.paths import InstancePaths
from tests.architecture.readme import MADE, README, part
from tests.support.command_line import ran

TEXT = README.read_text(encoding="utf-8")
COMMANDS = sorted(
    set(re.findall(r"(?:uv run )?beaver ((?:[a-z]+ )?[a-z]+)\b", "\n".join(re.findall(r"```sh\n(.*?)```", TEXT, re.S))))
)


@pytest.mark.parametrize("name", MADE)
def test_the_parts_made_from_the_code_are_current(name: str) -> None:
    assert part(TEXT, name) == MADE[name](), "run `uv run python -m tests.architecture.readme`"


def test_the_full_example_is_a_valid_explicit_hybrid_configuration(tmp_path: Path) -> None:
    (example,) = re.findall(r"```json\n(.*?)```", TEXT, re.S)
    settings = parse_settings(
        InstancePaths.at(tmp_path), json.loads(example), {"BEAVER_USER_KEY": "uk_from_the_environment"}
    )
    assert isinstance(settings.memory, Hybrid)
    assert settings.memory.explicit


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shown_exists(command: str) -> None:
    words = command.split()
    result = ran(*words, "--help")
    if result.code != 0:
        result = ran(words[0], "--help")
    assert result.code == 0, result.err


def test_every_folder_of_the_package_is_in_the_code_map() -> None:
    package = README.parent / "beaver"
    rooms = {path.name for path in package.iterdir() if (path / "__init__.py").exists()}
    shown = {line.split()[0] for line in part(TEXT, "codemap").splitlines()[1:-1]}
    assert rooms <= shown
