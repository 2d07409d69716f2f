"""Products of levels with bytes are exact, by the runtime and without it."""

from __future__ import annotations

import numpy as np
import pytest

from beaver.memory.inference import level_products as module
from beaver.memory.inference.level_products import LEVEL_MAX, level_products


@pytest.fixture(params=["by the runtime", "by floats"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both in turn."""
    if request.param == "by floats":
        monkeypatch.setattr(module, "_session", lambda: None)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(("rows", "columns"), [(0, 3), (1, 1), (7, 14), (500, 40)])
def test_products_are_exact(rows: int, columns: int) -> None:
    drawn = np.random.default_rng(3)
    levels = drawn.integers(0, LEVEL_MAX + 1, (rows, 384)).astype(np.uint8)
    weights = drawn.integers(-127, 128, (384, columns)).astype(np.int8)
    expected = levels.astype(np.int64) @ weights.astype(np.int64)
    assert level_products(levels, weights).tolist() == expected.tolist()


@pytest.mark.usefixtures("way")
def test_the_largest_of_all_are_exact() -> None:
    levels, weights = np.full((3, 2_000), LEVEL_MAX, np.uint8), np.full((2_000, 2), -127, np.int8)
    assert (level_products(levels, weights) == -127 * LEVEL_MAX * 2_000).all()
