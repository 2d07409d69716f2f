"""How long a service that fails is left alone."""

from __future__ import annotations

import pytest

from beaver.errors import DeadlineExceeded, PeerFault, Unavailable
from beaver.memory.inference.pausing import FIRST_S, MAX_S, Pause, PausingModel
from beaver.memory.inference.port import AskedToWait


class Time:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


def call(pause: Pause, fault: Exception | None = None) -> None:
    with pause.around_call():
        if fault is not None:
            raise fault


def left_s(pause: Pause) -> float:
    """0 where it may be called."""
    try:
        call(pause, PeerFault("as good as any answer"))
    except PeerFault:
        return 0
    except AskedToWait as waiting:
        return waiting.retry_after_s
    raise AssertionError


def fail(pause: Pause, fault: Unavailable | None = None) -> None:
    with pytest.raises(Unavailable):
        call(pause, fault or DeadlineExceeded("late"))


def test_it_is_left_alone_twice_as_long_each_time_and_a_minute_at_most(time: Time) -> None:
    pause, lengths = Pause("it", time), []
    for _ in range(6):
        fail(pause)
        lengths.append(left_s(pause))
        time.now += lengths[-1]
        assert left_s(pause) == 0
    assert lengths == [FIRST_S, 10, 20, 40, MAX_S, MAX_S]


def test_an_answer_begins_it_anew_and_a_refusal_is_none(time: Time) -> None:
    pause = Pause("it", time)
    fail(pause)
    time.now += FIRST_S
    call(pause)
    fail(pause)
    assert left_s(pause) == FIRST_S


def test_a_service_that_says_how_long_is_believed(time: Time) -> None:
    pause = Pause("it", time)
    fail(pause, AskedToWait("busy", 120))
    assert left_s(pause) == 120


def test_calls_that_fail_together_count_once(time: Time) -> None:
    pause = Pause("it", time)
    for _ in range(8):
        pause.failed(DeadlineExceeded("late"))
    assert left_s(pause) == FIRST_S


async def test_a_model_that_fails_is_not_asked_by_who_comes_next(time: Time) -> None:
    asked = []

    class Late:
        async def complete(self, _system: str, prompt: str, *, timeout_s: float) -> str:
            asked.append((prompt, timeout_s))
            raise DeadlineExceeded("late")

    model = PausingModel(Late(), Pause("the language model", time))
    for prompt in ("first", "second"):
        with pytest.raises(Unavailable):
            await model.complete("", prompt, timeout_s=1)
    assert asked == [("first", 1)]
