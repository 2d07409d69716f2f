"""What users of memory systems suffer from, thirty points: each has at least one test whose name begins with its number.

`test_7_…` is a test of point 7, `test_1_and_3_…` one of both. This is their index:
`uv run pytest -k "test_7_ or _and_7_"` runs what keeps point 7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

POINTS: Final = {
    1: "to delete all of a user's memory touches nobody else's",
    2: "what was forgotten does not come back by capture, flush or import",
    3: "to delete what several hold takes it from the one alone",
    4: "a session can be used again after it was forgotten",
    5: "what is said again after forgetting stays",
    6: "what is processed twice is there once",
    7: "of memories that were merged only the merged one is recalled",
    8: "recalled text is never captured",
    9: "a receipt names what was stored",
    10: "a failure does not look like an empty result",
    11: "two writes of one millisecond both live",
    12: "no other database is used in place of the configured one",
    13: "nobody finds what is another's",
    14: "an unknown filter or key is refused by its name",
    15: "a score lies in 0 to 1, rises with relevance, and says why",
    16: "times are UTC, and a zone that is given is honoured",
    17: "Chinese, Japanese and Korean are found by their words",
    18: "nobody hears that a database is locked",
    19: "another encoder is said and migrated to while the former serves",
    20: "an empty vector is never stored",
    21: "a filter reads the rows of its own only",
    22: "a thousand tenants share an index",
    23: "a thousand rows are forgotten in few statements",
    24: "what is derived is trusted as its least trusted source",
    25: "every dependency is pinned",
    26: "what is superseded is marked so, with its time",
    27: "among the best there are no copies",
    28: "maintenance removes nothing silently",
    29: "an export, imported, gives the same search results",
    30: "a write that is sent again does nothing and has the same receipt",
}
_TEST: Final = re.compile(r"^(?:async )?def test_((?:\d+_and_)*\d+)_\w+\(", re.MULTILINE)


def _points_tested() -> Iterator[int]:
    for file in Path(__file__).parents[1].rglob("test_*.py"):
        for numbers in _TEST.findall(file.read_text(encoding="utf-8")):
            yield from map(int, numbers.split("_and_"))


@pytest.fixture(scope="module")
def tested() -> frozenset[int]:
    return frozenset(_points_tested())


@pytest.mark.parametrize("number", POINTS)
def test_every_point_has_a_test_of_its_own(number: int, tested: frozenset[int]) -> None:
    assert number in tested, POINTS[number]
