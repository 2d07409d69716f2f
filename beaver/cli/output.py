"""What commands print: JSON for programs, aligned columns for people, never what would steer a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import typer

from beaver.text import json_line, printable


def print_json(value: Any) -> None:
    """One line of JSON."""
    typer.echo(json_line(value))


def print_rows(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], *, empty: str) -> None:
    """Rows in aligned columns, `empty` when there are none."""
    if not rows:
        typer.echo(empty)
        return
    table = [list(columns), *([one_line(row.get(column)) for column in columns] for row in rows)]
    widths = [max(_width(line[index]) for line in table) for index in range(len(columns))]
    for line in table:
        typer.echo(
            "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)).rstrip()
        )


def one_line(value: Any, characters_max: int = 100) -> str:
    """A value in one line, shortened."""
    text = " ".join(printable("" if value is None else str(value)).split())
    return text if len(text) <= characters_max else text[: characters_max - 1] + "…"


def when(epoch_ms: int | None) -> str:
    """Epoch milliseconds as a UTC time, to the second."""
    if epoch_ms is None:
        return ""
    return datetime.fromtimestamp(epoch_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
