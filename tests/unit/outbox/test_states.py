"""The ledger's state machine, driven through interleavings of two workers and a sweeper."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beaver.outbox import states
from beaver.outbox.states import ENDS, UNFINISHED, Standing, State
from beaver.schemas.audit import AuditEvent

WORKERS = ("left", "right")


@dataclass
class Hands:
    """What one worker believes: its claim, and the step of its program it is at."""

    fence: int
    at: State
    add_sent: bool = False


@dataclass
class World:
    """One row, two workers that may stop for any length between two steps, a Gateway that counts."""

    row: Standing = field(default_factory=lambda: Standing(State.PENDING, None, 0, expired=False))
    hands: dict[str, Hands] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    add_confirmed: bool = False
    events: list[AuditEvent] = field(default_factory=list)
    fences: list[int] = field(default_factory=list)

    def step(self, worker: str, answer: str) -> None:
        """The next step of a worker's program: claim, commit `adding`, send, record, commit `flushing`, send, record."""
        held = self.hands.get(worker)
        if held is None:
            self._claim(worker)
            return
        match held.at:
            case State.CLAIMED:
                self._move(worker, State.ADDING)
            case State.ADDING:
                self.calls["add"] += 0 if held.add_sent else 1
                held.add_sent = True
                if answer == "unwritten":
                    return
                self.add_confirmed |= answer == "ok"
                ends = {"ok": State.ADDED, "refused": State.ADD_REFUSED, "unknown": State.ADD_UNKNOWN}
                self._move(worker, ends[answer])
            case State.ADDED:
                self._move(worker, State.FLUSHING)
            case State.FLUSHING:
                if answer == "unwritten":
                    return
                assert self.add_confirmed
                self.calls["flush"] += 1
                ends = {"ok": State.FLUSHED, "refused": State.FLUSH_FAILED, "unknown": State.FLUSH_UNKNOWN}
                self._move(worker, ends[answer])
            case _:
                del self.hands[worker]

    def expire(self) -> None:
        """Time passes until the claim, if there is one, has run out."""
        self.row = replace(self.row, expired=self.row.holder is not None and self.row.state in UNFINISHED)

    def sweep(self) -> None:
        self._become(states.resolve_orphan(self.row))

    def withdraw(self, worker: str) -> None:
        """A worker that is told to stop before it has begun its next call hands its turn back."""
        held = self.hands.get(worker)
        if held is not None:
            sent = held.add_sent or held.at in (State.ADDED, State.FLUSHING)
            self._become(states.hand_back(self.row, worker, held.fence, add_sent=sent))
            self.die(worker)

    def die(self, worker: str) -> None:
        self.hands.pop(worker, None)

    def _claim(self, worker: str) -> None:
        taken = states.claim(self.row, worker)
        if taken is not None:
            self.row = taken
            self.fences.append(taken.fence)
            self.hands[worker] = Hands(taken.fence, taken.state)

    def _move(self, worker: str, target: State) -> None:
        held = self.hands[worker]
        after = states.move(self.row, worker, held.fence, target)
        if after is None:
            del self.hands[worker]
            return
        self._become(after)
        held.at = target

    def _become(self, after: Standing | None) -> None:
        if after is None:
            return
        owed = states.audit_owed(self.row.state, after.state)
        if owed is not None:
            self.events.append(owed)
        self.row = after


actions = st.one_of(
    st.tuples(st.just("step"), st.sampled_from(WORKERS), st.sampled_from(["ok", "refused", "unknown", "unwritten"])),
    st.tuples(st.just("die"), st.sampled_from(WORKERS), st.none()),
    st.tuples(st.just("withdraw"), st.sampled_from(WORKERS), st.none()),
    st.tuples(st.just("expire"), st.none(), st.none()),
    st.tuples(st.just("sweep"), st.none(), st.none()),
)


def play(script: list[tuple[str, str | None, str | None]]) -> World:
    world = World()
    for action, worker, answer in script:
        match action:
            case "step":
                world.step(str(worker), str(answer))
            case "die":
                world.die(str(worker))
            case "withdraw":
                world.withdraw(str(worker))
            case "expire":
                world.expire()
            case _:
                world.sweep()
    return world


@settings(max_examples=600, deadline=None)
@given(st.lists(actions, max_size=60))
def test_no_interleaving_of_two_workers_adds_or_flushes_twice(script: list[tuple[str, str | None, str | None]]) -> None:
    world = play(script)
    assert world.calls["add"] <= 1
    assert world.calls["flush"] <= 1


@settings(max_examples=300, deadline=None)
@given(st.lists(actions, max_size=60))
def test_every_interleaving_ends_once_somebody_lives_to_look(script: list[tuple[str, str | None, str | None]]) -> None:
    world = play(script)
    for _ in range(30):
        world.die("left")
        world.die("right")
        world.expire()
        world.sweep()
        for _ in range(8):
            world.step("left", "ok")
    assert world.row.state in ENDS
    assert world.calls["add"] <= 1


@settings(max_examples=300, deadline=None)
@given(st.lists(actions, max_size=60))
def test_the_last_audit_event_tells_the_state_that_the_row_ended_in(
    script: list[tuple[str, str | None, str | None]],
) -> None:
    world = play(script)
    owed = states.audit_owed(None, world.row.state)
    if owed is not None:
        assert world.events[-1] is owed


@settings(max_examples=300, deadline=None)
@given(st.lists(actions, max_size=60))
def test_the_fence_rises_with_every_claim(script: list[tuple[str, str | None, str | None]]) -> None:
    fences = play(script).fences
    assert fences == sorted(set(fences))


def test_a_late_owner_turns_an_unknown_into_the_truth() -> None:
    swept = states.resolve_orphan(Standing(State.ADDING, "left", 3, expired=True))
    assert swept == Standing(State.ADD_UNKNOWN, "left", 3, expired=False)
    assert states.move(swept, "left", 3, State.ADDED) == Standing(State.ADDED, "left", 3, expired=False)


@pytest.mark.parametrize(("holder", "fence"), [("right", 3), ("left", 2), ("left", 4)])
def test_only_the_claim_that_holds_a_row_moves_it(holder: str, fence: int) -> None:
    assert states.move(Standing(State.ADDING, "left", 3, expired=False), holder, fence, State.ADDED) is None


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (State.CLAIMED, State.PENDING),
        (State.ADDING, State.PENDING),
        (State.ADDED, State.ADDED),
        (State.FLUSHING, State.ADDED),
    ],
)
def test_a_turn_handed_back_is_nobodys_and_can_be_taken_at_once(source: State, target: State) -> None:
    held = Standing(source, "left", 3, expired=False)
    back = states.hand_back(held, "left", 3, add_sent=source in (State.ADDED, State.FLUSHING))
    assert back == Standing(target, None, 3, expired=target is State.ADDED)
    assert back is not None
    assert states.hand_back(held, "left", 2, add_sent=True) is None
    assert states.claim(back, "right") is not None


def test_an_add_that_was_sent_but_not_recorded_is_never_handed_back() -> None:
    assert states.hand_back(Standing(State.ADDING, "left", 3, expired=False), "left", 3, add_sent=True) is None


def test_an_add_whose_flush_was_put_off_is_not_told_twice() -> None:
    assert states.audit_owed(State.FLUSHING, State.ADDED) is None
    assert states.audit_owed(State.ADDING, State.ADDED) is AuditEvent.ADD_SUCCEEDED


def test_an_added_turn_whose_holder_is_gone_is_taken_up_for_its_flush_only() -> None:
    taken = states.claim(Standing(State.ADDED, "left", 3, expired=True), "right")
    assert taken == Standing(State.ADDED, "right", 4, expired=False)
    assert states.move(taken, "right", 4, State.ADDING) is None


@pytest.mark.parametrize("state", sorted(ENDS))
def test_nothing_claims_a_turn_that_has_ended(state: State) -> None:
    assert states.claim(Standing(state, "left", 3, expired=True), "right") is None


@pytest.mark.parametrize("state", [State.CLAIMED, State.ADDING, State.FLUSHING])
def test_the_sweeper_leaves_a_live_claim_alone(state: State) -> None:
    assert states.resolve_orphan(Standing(state, "left", 3, expired=False)) is None
