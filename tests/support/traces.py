"""What an object holds, to its last array and buffer: by that a test tells that nothing of something forgotten is left in it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np


def held_by(root: object) -> Iterator[Any]:
    """Every array (with what it is a part of), and every string and bytes, that can be reached from an object."""
    seen, left = set[int](), [root]
    while left:
        one = left.pop()
        if id(one) in seen or isinstance(one, (type, ModuleType, FunctionType)):
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            yield one
            left += [] if one.base is None else [one.base]
        elif isinstance(one, (str, bytes)):
            yield one
        else:
            left += gc.get_referents(one)


def is_held(root: object, number: int) -> bool:
    """Whether any whole-number array that can be reached from an object holds this number."""
    whole = (one for one in held_by(root) if isinstance(one, np.ndarray) and one.dtype.kind in "iu")
    return any(bool((one == number).any()) for one in whole)


def are_held(root: object, pattern: bytes) -> bool:
    """Whether these bytes stand in any array or bytes that can be reached from an object."""
    held = (one.tobytes() if isinstance(one, np.ndarray) else one for one in held_by(root) if not isinstance(one, str))
    return any(pattern in each for each in held)
