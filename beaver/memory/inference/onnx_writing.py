"""Writes a graph in ONNX's format, node by node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beaver.memory.inference.onnx_messages import A_FLOAT, AN_INTEGER, FLOAT, INT8, INT64, Attribute, Graph, Model

_FORMAT: Final = 8
_OPERATORS: Final = 17
_RUNTIMES_OWN: Final = "com.microsoft"
_KINDS: Final = {np.dtype(np.float32): FLOAT, np.dtype(np.int8): INT8, np.dtype(np.int64): INT64}


class Writing:
    """A graph in the making: each method adds a part, and gives the name of what it comes to."""

    def __init__(self) -> None:
        self._graph = Graph(name="network")

    def tensor(self, values: NDArray[Any]) -> str:
        """Numbers that are part of the graph."""
        name = f"tensor_{len(self._graph.initializer)}"
        self._graph.initializer.add(
            name=name,
            dims=values.shape,
            data_type=_KINDS[values.dtype],
            raw_data=np.ascontiguousarray(values).tobytes(),
        )
        return name

    def node(self, operator: str, *inputs: str, **attributes: float) -> str:
        """One of ONNX's own operators; an attribute is whole or a float, as its value is."""
        return self._add(operator, "", inputs, attributes)[0]

    def fused(self, operator: str, *inputs: str, **attributes: float) -> str:
        """One of the runtime's own operators."""
        return self._add(operator, _RUNTIMES_OWN, inputs, attributes)[0]

    def split(self, values: str, parts: int) -> Sequence[str]:
        """The values of the last dimension in so many equal parts."""
        return self._add("Split", "", [values], {"axis": -1}, outputs=parts)

    def written(self, reads: Sequence[tuple[str, int]], gives: tuple[str, str]) -> bytes:
        """The whole, that reads inputs (name, kind of number) and gives what a name comes to by a name of its own (floats)."""
        graph, (found, called) = self._graph, gives
        graph.node.add(op_type="Identity", input=[found], output=[called])
        for name, kind in reads:
            graph.input.add(name=name).type.tensor_type.elem_type = kind
        graph.output.add(name=called).type.tensor_type.elem_type = FLOAT
        model = Model(ir_version=_FORMAT, graph=graph)
        for domain, version in (("", _OPERATORS), (_RUNTIMES_OWN, 1)):
            model.opset_import.add(domain=domain, version=version)
        return bytes(model.SerializeToString())

    def _add(
        self, operator: str, domain: str, inputs: Sequence[str], attributes: Mapping[str, float], outputs: int = 1
    ) -> Sequence[str]:
        names = [f"{operator}_{len(self._graph.node)}_{number}" for number in range(outputs)]
        node = self._graph.node.add(op_type=operator, domain=domain, input=inputs, output=names)
        node.attribute.extend(_attribute(name, value) for name, value in attributes.items())
        return names


def _attribute(name: str, value: float) -> Any:
    if isinstance(value, int):
        return Attribute(name=name, i=value, type=AN_INTEGER)
    return Attribute(name=name, f=value, type=A_FLOAT)
