"""The parts of the README that are made from the code: `uv run python -m tests.architecture.readme` writes them anew."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import beaver
from beaver.config.reference import settings_table

README: Final = Path(__file__).parents[2] / "README.md"


def settings_markdown() -> str:
    """Every setting as a row."""
    rows = [f"| `{row.path}` | {row.type} | {_code(row.default)} | {row.description} |" for row in settings_table()]
    return "\n".join(["| setting | type | default | meaning |", "|---|---|---|---|", *rows])


def code_map_markdown() -> str:
    """The package's own code map, room by room."""
    lines = (beaver.__doc__ or "").splitlines()
    rooms = [line for line in lines if re.match(r"[a-z][a-z ]+  +\S", line)]
    return "\n".join(["```", *rooms, "```"])


MADE: Final[dict[str, Callable[[], str]]] = {"settings": settings_markdown, "codemap": code_map_markdown}


def part(readme: str, name: str) -> str:
    """What stands between a part's markers."""
    found = re.search(rf"<!-- {name} -->\n(.*?)\n?<!-- /{name} -->", readme, re.S)
    assert found, f"the README has no part {name}"
    return found.group(1)


def _code(default: str) -> str:
    return default if default in {"required", "none"} else f"`{default}`"


def _write() -> None:
    text = README.read_text(encoding="utf-8")
    for name, make in MADE.items():
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, rest = text.split(start)
        text = before + start + make() + "\n" + end + rest.split(end)[1]
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _write()
