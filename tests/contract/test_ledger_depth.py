"""Who looks at a ledger again and again has the truth of what is under way or went wrong; the many others are counted seldom."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection

import pytest

from beaver.counting import KEPT_TIMES
from beaver.db.engine import Database, Transaction
from beaver.outbox import depth as module
from beaver.outbox.depth import LedgerDepth
from beaver.outbox.inspection import LedgerStats, OutboxInspection
from beaver.outbox.states import SETTLED, State
from tests.support.ledger import Ledger


@pytest.fixture
def ledger(database: Database) -> Ledger:
    return Ledger(database)


class SlowCount:
    """The inspection, to which counting those that need nobody takes so many seconds, by a clock of its own, or has to wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s, self.takes_s = 1000.0, 0.0
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.broken_off = False
        self._counting = OutboxInspection.stats
        monkeypatch.setattr(OutboxInspection, "stats", lambda *asked: self._count(*asked))

    async def _count(self, inspection: OutboxInspection, tx: Transaction, states: Collection[State]) -> LedgerStats:
        if states == SETTLED:
            try:
                await self.go_on.wait()
            except asyncio.CancelledError:
                self.broken_off = True
                raise
            self.now_s += self.takes_s
        return await self._counting(inspection, tx, states)


@pytest.fixture
def slow_count(monkeypatch: pytest.MonkeyPatch) -> SlowCount:
    return SlowCount(monkeypatch)


@pytest.fixture
async def depth(database: Database, slow_count: SlowCount) -> AsyncIterator[LedgerDepth]:
    made = LedgerDepth(database, lambda: slow_count.now_s)
    yield made
    await made.aclose()


async def two_settled_and_one_pending(ledger: Ledger) -> None:
    for _ in range(2):
        await ledger.complete_turn(skip_reason="blank_answer")
    await ledger.complete_turn("s2")


async def test_few_are_counted_each_time(ledger: Ledger, depth: LedgerDepth) -> None:
    assert (await depth.stats()).counts == dict.fromkeys(State, 0)
    await two_settled_and_one_pending(ledger)

    stats = await depth.stats()

    assert stats.counts == {**dict.fromkeys(State, 0), State.SKIPPED: 2, State.PENDING: 1}
    assert stats.oldest_pending_age_ms is not None


async def test_many_that_need_nobody_are_counted_again_after_a_while(
    ledger: Ledger, depth: LedgerDepth, slow_count: SlowCount
) -> None:
    slow_count.takes_s = 0.2
    await two_settled_and_one_pending(ledger)
    await depth.stats()
    await two_settled_and_one_pending(ledger)

    seen = (await depth.stats()).counts
    assert (seen[State.SKIPPED], seen[State.PENDING]) == (2, 2)

    slow_count.now_s += KEPT_TIMES * slow_count.takes_s + 1
    assert (await depth.stats()).counts[State.SKIPPED] == 4


async def test_what_takes_long_to_count_holds_nobody_up_and_is_told_once_it_is_counted(
    ledger: Ledger, depth: LedgerDepth, slow_count: SlowCount, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WAITED_S", 0.01)
    slow_count.go_on.clear()
    await two_settled_and_one_pending(ledger)

    seen = (await depth.stats()).counts
    assert (seen.get(State.SKIPPED), seen[State.PENDING]) == (None, 1)

    slow_count.go_on.set()
    monkeypatch.setattr(module, "WAITED_S", 60)
    assert (await depth.stats()).counts[State.SKIPPED] == 2


async def test_a_count_under_way_ends_with_it(
    depth: LedgerDepth, slow_count: SlowCount, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WAITED_S", 0.01)
    slow_count.go_on.clear()
    await depth.stats()
    assert not slow_count.broken_off
    await depth.aclose()
    assert slow_count.broken_off
