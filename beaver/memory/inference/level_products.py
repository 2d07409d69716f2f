"""Products of levels of four bits with bytes, by the runtime that is there for the encoder: a third of what floats take."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beaver.memory.inference.onnx_messages import FLOAT, INT8, UINT8
from beaver.memory.inference.onnx_sessions import open_session
from beaver.memory.inference.onnx_writing import Writing

LEVEL_MAX: Final = 64
"""So that two products with a byte fit into sixteen bits, in which some processors add them."""


def level_products(levels: NDArray[np.uint8], weights: NDArray[np.int8]) -> NDArray[np.float32]:
    """(n, m), exact, of levels (n, d) up to LEVEL_MAX and weights (d, m); d up to 2,000. Without the runtime, by floats."""
    session = _session()
    if session is None:
        return np.asarray(levels.astype(np.float32) @ weights.astype(np.float32))
    (products,) = session.run(None, {"levels": levels, "weights": weights})
    return np.asarray(products)


@cache
def _session() -> Any:
    try:
        return open_session(_graph())
    except ImportError:
        return None


def _graph() -> bytes:
    writing = Writing()
    products = writing.node("Cast", writing.node("MatMulInteger", "levels", "weights"), to=FLOAT)
    return writing.written([("levels", UINT8), ("weights", INT8)], (products, "products"))
