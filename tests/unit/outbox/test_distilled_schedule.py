"""When an item is sent again, and when it is given up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.outbox.distilled.schedule import (
    ATTEMPTS_MAX,
    JITTER,
    Again,
    Fault,
    GivenUp,
    after,
    backoff_s,
    batch_key,
    item_key,
)

LOST = Fault("timeout")
jitters = st.floats(*JITTER)


def test_the_backoff_doubles_up_to_a_minute() -> None:
    assert [backoff_s(attempt) for attempt in range(1, 9)] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert backoff_s(10_000) == 60


@pytest.mark.parametrize(
    "fault",
    [
        *(Fault(category) for category in ("timeout", "connect_failed", "connection_lost")),
        *(Fault("http_status", status) for status in (429, 500, 502, 503, 504)),
    ],
)
def test_what_may_come_right_is_sent_again(fault: Fault) -> None:
    assert after(fault, 1, 1.0) == Again(1_000)
    assert after(fault, ATTEMPTS_MAX, 1.0) == GivenUp()


@pytest.mark.parametrize(
    "fault",
    [
        *(Fault("http_status", status) for status in (400, 404, 422)),
        *(Fault("unauthorized", 401), Fault("identity_mismatch"), Fault("invalid_json", 200), Fault("too_large", 200)),
    ],
)
def test_what_will_not_is_given_up_at_once(fault: Fault) -> None:
    assert after(fault, 1, 1.0) == GivenUp()


def test_the_gateways_own_wish_counts_where_it_is_longer() -> None:
    assert after(Fault("http_status", 429, retry_after_s=30), 1, 1.0) == Again(30_000)
    assert after(Fault("http_status", 429, retry_after_s=1), 5, 1.0) == Again(16_000)


@given(st.integers(1, ATTEMPTS_MAX - 1), jitters)
def test_the_wait_lies_within_the_jitter(attempt: int, jitter: float) -> None:
    then = after(LOST, attempt, jitter)

    assert isinstance(then, Again)
    assert 500 * 2 ** (attempt - 1) <= then.delay_ms <= 1_500 * 2 ** (attempt - 1)


texts = st.text(max_size=40)


@given(st.tuples(texts, texts, texts), st.tuples(texts, texts, texts))
def test_a_key_is_of_session_turn_and_content_alike(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert item_key(*one) == item_key(*one)
    # Ids hold no control characters, so that nothing runs together.
    if all("\0" not in part for part in (*one, *other)):
        assert (item_key(*one) == item_key(*other)) is (one == other)


@given(st.lists(texts, unique=True))
def test_a_batchs_key_hangs_on_its_items_and_not_on_their_order(keys: list[str]) -> None:
    assert batch_key(keys) == batch_key(reversed(keys))
    assert len(batch_key(keys)) == 64
