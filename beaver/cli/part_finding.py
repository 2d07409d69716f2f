"""How one part of an instance stands, as `beaver check` tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class PartFinding:
    """An error keeps a process of the instance from starting; without anything else Beaver waits or degrades."""

    severity: Literal["error", "warning", "ok"]
    part: str
    message: str
    next_step: str | None = None


def database_step(setting: str) -> str:
    """The next step where a database does not serve; `setting` holds its URL."""
    return f"Check {setting}, and that the database runs; put a backup in the place of a file that is damaged."
