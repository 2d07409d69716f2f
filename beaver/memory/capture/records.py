"""What capture gives: an observation to write, and how sure the rule is that it should be."""

from __future__ import annotations

from dataclasses import dataclass

from beaver.memory.observations.records import NewObservation


@dataclass(frozen=True)
class Candidate:
    """Something that may be remembered; `confidence` in [0, 1]."""

    observation: NewObservation
    confidence: float


def clipped(text: str, length_max: int) -> str:
    """The text on one line, cut to a length with an ellipsis as its last character."""
    line = " ".join(text.split())
    return line if len(line) <= length_max else line[: length_max - 1].rstrip() + "…"
