"""How encoding stands, in figures: nothing of what is encoded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class EncodingFigures:
    """`waiting`: passages without the encoder's vectors, of the whole database; the rest is this process's since its start.

    `encoded`: passages that got vectors. `failures`: how often the encoder or the database failed it, by the error's code.
    `set_aside`: passages (of those that wait) whose text the encoder refuses: they are found by words alone.
    """

    waiting: int
    encoded: int
    failures: Mapping[str, int]
    set_aside: int
