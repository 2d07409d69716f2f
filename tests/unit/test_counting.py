"""A count that takes long is asked for seldom, one that takes next to nothing every time, and a failed one not kept."""

from __future__ import annotations

import pytest

from beaver.counting import KEPT_TIMES, QUICK_S, Counted
from beaver.errors import Unavailable


class Database:
    """Counts how often it was asked; a count takes `takes_s`, by a clock of its own."""

    def __init__(self, takes_s: float) -> None:
        self.takes_s, self.asked, self.now_s, self.broken = takes_s, 0, 50.0, False

    async def count(self) -> int:
        self.asked += 1
        self.now_s += self.takes_s
        if self.broken:
            raise Unavailable("the database is away")
        return self.asked


async def test_a_count_is_kept_for_as_long_as_it_is_dear() -> None:
    database = Database(takes_s=0.5)
    counted = Counted(database.count, lambda: database.now_s)
    assert [await counted.now(), await counted.now()] == [1, 1]
    database.now_s += KEPT_TIMES * database.takes_s - 0.01
    assert await counted.now() == 1
    database.now_s += 0.02
    assert await counted.now() == 2


@pytest.mark.parametrize("takes_s", [0.0, QUICK_S - 0.001])
async def test_a_count_that_takes_next_to_nothing_is_counted_every_time(takes_s: float) -> None:
    database = Database(takes_s)
    counted = Counted(database.count, lambda: database.now_s)
    assert [await counted.now(), await counted.now()] == [1, 2]


async def test_a_count_that_fails_is_told_and_tried_again() -> None:
    database = Database(takes_s=0.5)
    database.broken = True
    counted = Counted(database.count, lambda: database.now_s)
    for _ in range(2):
        with pytest.raises(Unavailable):
            await counted.now()
    database.broken = False
    assert await counted.now() == 3
