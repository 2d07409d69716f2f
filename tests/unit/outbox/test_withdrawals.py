"""When a Gateway is asked again to forget what was deleted here, and when a person is told instead."""

from __future__ import annotations

from beaver.config.memory import MemoryOwner
from beaver.outbox.withdrawals import KEPT_MS, Withdrawal

MINUTE_MS = 60_000


def tried(attempt: int, age_ms: int = 0) -> Withdrawal:
    return Withdrawal(1, MemoryOwner("ada", "default", "default"), "message-1", attempt, age_ms)


def test_it_is_asked_at_growing_distances_up_to_an_hour() -> None:
    waits = [tried(attempt).wait_ms for attempt in range(1, 10)]
    assert waits[:3] == [MINUTE_MS // 2, MINUTE_MS, 2 * MINUTE_MS]
    assert waits == sorted(waits)
    assert waits[-1] == tried(1_000_000).wait_ms == 60 * MINUTE_MS


def test_it_is_asked_for_a_week() -> None:
    assert not tried(1).is_last
    assert not tried(100, KEPT_MS - 61 * MINUTE_MS).is_last
    assert tried(100, KEPT_MS - 59 * MINUTE_MS).is_last
