"""Products of bytes: some processors' fast ones add two of them in sixteen bits, which may be too few. Found by trying one."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from beaver.memory.inference.onnx_messages import FLOAT
from beaver.memory.inference.onnx_sessions import open_session
from beaver.memory.inference.onnx_writing import Writing

SLOW_AND_EXACT: Final = "session.x64quantprecision"
"""The runtime's option that keeps it from the fast ones; with them, where they are exact, a question costs half."""
_SUMMED: Final = 256
_COLUMNS: Final = 64
_ROWS: Final = (1, 2, 16, 64)
"""By how many rows there are, the runtime has several ways."""
_LARGEST: Final = 127
_ERROR_MAX: Final = 1e-3


@cache
def fast_ones_are_exact() -> bool:
    """Whether sums of the largest products come out right on this processor."""
    session = open_session(_largest_products())
    return all(_is_exact(session, rows) for rows in _ROWS)


def _is_exact(session: Any, rows: int) -> bool:
    (found,) = session.run(None, {"ones": np.ones((rows, _SUMMED), np.float32)})
    return bool(np.allclose(found, _SUMMED * _LARGEST, rtol=_ERROR_MAX))


def _largest_products() -> bytes:
    writing = Writing()
    levels = writing.tensor(np.full((_SUMMED, _COLUMNS), _LARGEST, np.int8))
    product = writing.fused("DynamicQuantizeMatMul", "ones", levels, writing.tensor(np.ones(_COLUMNS, np.float32)))
    return writing.written([("ones", FLOAT)], (product, "products"))
