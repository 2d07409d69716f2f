"""What was learned of a language: whole numbers in a JSON file, fitted by `python -m tests.bench.capture_fit`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, get_args

from beaver.memory.capture.patterns import Kind

SCALE: Final = 100
"""Weights are hundredths of the logarithm of odds."""
KINDS: Final[tuple[Kind, ...]] = tuple(kind for kind in get_args(Kind) if kind != "remember")
"""In the order of a row of weights, behind that for being worth keeping at all: what is asked to be kept is asked in words."""

Row = Sequence[int]


@dataclass(frozen=True)
class Weights:
    """Rows of 1 + len(KINDS) weights: one a mark, and the `bias`.

    `vector` has one a dimension of the vectors of `model`, without which a language is not judged; None: by marks alone.
    """

    marks: Mapping[str, Row]
    bias: Row
    model: str | None
    vector: Sequence[Row]


@lru_cache
def weights_of(language: str) -> Weights:
    """Those of a language by its name; the file is read once."""
    text = (files("beaver.memory.capture.learned") / f"{language}.json").read_text(encoding="utf-8")
    read = json.loads(text)
    return Weights(read["marks"], read["bias"], read["model"], read["vector"])
