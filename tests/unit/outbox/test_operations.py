"""What an operator may decide about a row, driven through interleavings of two workers, a sweeper and safe requeues."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beaver.outbox import states
from beaver.outbox.operations import REQUEUEABLE, Consent, requeue_target
from beaver.outbox.states import ENDS, OPERATOR_MOVES, UNFINISHED, Standing, State
from tests.unit.outbox.test_states import World, actions

EVERYTHING_ACCEPTED = Consent(accept_duplicate=True, key_honoured=True)


@dataclass
class OperatedWorld(World):
    """The same, with an operator who requeues what needs no consent. `may_stand` counts calls that may have worked."""

    may_stand: Counter[str] = field(default_factory=Counter)

    def step(self, worker: str, answer: str) -> None:
        held = self.hands.get(worker)
        if held is not None and held.at in (State.ADDING, State.FLUSHING) and answer != "refused":
            self.may_stand[held.at] += 1
        super().step(worker, answer)

    def expire(self) -> None:
        # An added row that an operator put back is nobody's, and stands as run out from the first.
        self.row = replace(self.row, expired=self.row.state in UNFINISHED and self.row.state is not State.PENDING)

    def requeue(self) -> None:
        target = requeue_target(self.row, Consent())
        if isinstance(target, State):
            after = states.operate(self.row, target)
            assert after is not None
            self.row = after


operated = st.one_of(actions, st.tuples(st.just("requeue"), st.none(), st.none()))


@settings(max_examples=600, deadline=None)
@given(st.lists(operated, max_size=80))
def test_safe_requeues_never_let_a_call_stand_twice(script: list[tuple[str, str | None, str | None]]) -> None:
    world = OperatedWorld()
    for action, worker, answer in script:
        match action:
            case "step":
                world.step(str(worker), str(answer))
            case "die":
                world.die(str(worker))
            case "withdraw":
                world.withdraw(str(worker))
            case "requeue":
                world.requeue()
            case _:
                getattr(world, action)()
    assert world.may_stand[State.ADDING] <= 1
    assert world.may_stand[State.FLUSHING] <= 1


@pytest.mark.parametrize("state", sorted(State))
@pytest.mark.parametrize("target", sorted(State))
def test_a_decision_is_about_an_end_raises_the_fence_and_leaves_no_holder(state: State, target: State) -> None:
    after = states.operate(Standing(state, "left", 3, expired=False), target)
    if target not in OPERATOR_MOVES.get(state, ()):
        assert after is None
        return
    assert state in ENDS
    assert after is not None
    assert (after.state, after.holder, after.fence) == (target, None, 4)
    assert all(states.move(after, "left", 3, other) is None for other in State)


@pytest.mark.parametrize("state", REQUEUEABLE)
def test_whatever_is_requeued_can_be_claimed_at_once(state: State) -> None:
    row = Standing(state, "left", 3, expired=False)
    target = requeue_target(row, EVERYTHING_ACCEPTED)
    assert isinstance(target, State)
    after = states.operate(row, target)
    assert after is not None
    assert states.claim(after, "right") is not None


@pytest.mark.parametrize("expired", [True, False])
@pytest.mark.parametrize("state", sorted(set(State) - set(REQUEUEABLE)))
def test_nothing_else_is_requeued_whatever_is_accepted(state: State, expired: bool) -> None:
    refusal = requeue_target(Standing(state, "left", 3, expired=expired), EVERYTHING_ACCEPTED)
    assert not isinstance(refusal, State)
    assert "this turn" in refusal
