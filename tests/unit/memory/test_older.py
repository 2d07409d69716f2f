"""What the full-text index is asked for: rare words, and never more than takes a bounded time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from beaver.memory.retrieval.asking.older import terms_for_older
from beaver.memory.retrieval.index.growing import Growing
from beaver.memory.retrieval.index.index_store import MESSAGE, PassageRow
from beaver.memory.retrieval.index.snapshot import Snapshot
from beaver.memory.retrieval.signature import sign
from beaver.memory.retrieval.terms import Term

NOW_MS = 1_684_300_000_000
VIOLIN, HARBOUR, LANTERN, ANNA = (Term((word,)) for word in ("violin", "harbour", "lantern", "anna"))


@pytest.fixture
def snapshot() -> Snapshot:
    """`lantern` stands in each of 10,000 passages, `harbour` in a tenth of them, `violin` in one; Anna says all of it."""
    growing = Growing(frozenset())
    words = ["lantern harbour" if number % 10 == 0 else "lantern" for number in range(10_000)]
    words[5] = "lantern violin"
    signed = {text: sign(text, NOW_MS) for text in set(words)}
    growing.add_passages(
        [
            PassageRow(number, 1, None, MESSAGE, 0, NOW_MS, signed[text], "Anna", None)
            for number, text in enumerate(words)
        ]
    )
    return growing.snapshot


@pytest.mark.parametrize(
    ("asked", "many", "chosen", "expected"),
    [
        ((LANTERN, HARBOUR, VIOLIN), 4_000, (VIOLIN, HARBOUR), 400.4),
        ((LANTERN, HARBOUR, VIOLIN), 10_000, (VIOLIN,), 1),
        ((LANTERN, HARBOUR), 100_000, (HARBOUR,), 10_000),
        ((ANNA, VIOLIN), 10_000, (VIOLIN,), 1),
        ((ANNA,), 10_000, (ANNA,), 0),
    ],
)
def test_the_rarest_words_are_asked_for_as_long_as_few_passages_hold_them(
    snapshot: Snapshot, asked: Sequence[Term], many: int, chosen: Sequence[Term], expected: float
) -> None:
    rare = terms_for_older(snapshot, asked, many)
    assert tuple(rare.terms) == chosen
    assert rare.expected == pytest.approx(expected)
