"""How one part of an instance stands, as `beaver check` tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class PartFinding:
    """Nothing here is an error: Beaver starts, waits or degrades without each of its parts."""

    severity: Literal["warning", "ok"]
    part: str
    message: str
    next_step: str | None = None
