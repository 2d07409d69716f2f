"""Likeness to the best: told by vectors, never by a passage itself."""

from __future__ import annotations

import numpy as np

from beaver.memory.embedding.packing import pack_vector
from beaver.memory.retrieval.index.growing import Growing
from beaver.memory.retrieval.index.index_store import MESSAGE, PassageRow, VectorRow
from beaver.memory.retrieval.index.snapshot import Snapshot
from beaver.memory.retrieval.order.feedback import likeness_to_best
from beaver.memory.retrieval.signature import sign

NEAR, BESIDE, FAR = np.eye(3, dtype=np.float32)


def snapshot(*vectors: np.typing.NDArray[np.float32] | None) -> Snapshot:
    growing = Growing(frozenset())
    said = sign("a kite", 0)
    growing.add_passages(
        [PassageRow(number, 1, None, MESSAGE, 0, 0, said, "ada", None) for number in range(1, len(vectors) + 1)]
    )
    rows = [
        VectorRow(number, number, pack_vector(vector), None)
        for number, vector in enumerate(vectors, 1)
        if vector is not None
    ]
    growing.add_vectors(rows)
    return growing.snapshot


def likeness(*vectors: np.typing.NDArray[np.float32] | None, totals: list[float]) -> list[float]:
    found = likeness_to_best(snapshot(*vectors), np.arange(len(vectors)), np.array(totals))
    return [round(float(each), 2) for each in found]


def test_what_is_like_one_of_the_best_is_told_from_what_is_not() -> None:
    totals = [9.0, 8.0, 7.0, 6.0, 5.0, 1.0, 1.0]
    found = likeness(NEAR, FAR, FAR, FAR, FAR, NEAR + FAR * np.float32(0.1), BESIDE, totals=totals)
    assert found[5] > 0.9
    assert found[6] == 0.0


def test_the_best_is_not_like_itself() -> None:
    assert likeness(NEAR, BESIDE, FAR, totals=[3.0, 2.0, 1.0]) == [0.0, 0.0, 0.0]


def test_a_passage_without_a_vector_is_like_none() -> None:
    assert likeness(NEAR, NEAR, None, totals=[3.0, 2.0, 1.0]) == [1.0, 1.0, 0.0]


def test_one_row_has_nothing_to_be_like() -> None:
    assert likeness(NEAR, totals=[3.0]) == [0.0]
