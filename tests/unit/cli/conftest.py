"""The commands in this process, over an instance's folder of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Outcome, ran
from tests.support.kept_logging import kept_logging


@dataclass(frozen=True)
class CommandLine:
    """`beaver` in one folder."""

    root: Path

    def __call__(self, *arguments: str, stdin: str | None = None) -> Outcome:
        return ran(*arguments, stdin=stdin)

    def configure(self, config: Any) -> None:
        """Write the configuration; text stands as it is."""
        home = self.root / ".beaver"
        home.mkdir(mode=0o700, exist_ok=True)
        path = home / "config.json"
        path.write_text(config if isinstance(config, str) else json.dumps(config))
        path.chmod(0o600)


@pytest.fixture
def beaver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CommandLine]:
    monkeypatch.setenv("BEAVER_ROOT", str(tmp_path))
    with kept_logging():
        yield CommandLine(tmp_path)
