"""What operators do about turns, on SQLite and on PostgreSQL: safe, fenced, told with their name, rung for after the commit."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy import func, select

from beaver.config.memory import MemoryOwner
from beaver.db.engine import Database
from beaver.db.tables import outbox_timeline
from beaver.errors import Conflict, InvalidInput, NotFound
from beaver.outbox import audit
from beaver.outbox.inspection import TurnFilter
from beaver.outbox.operations import Consent, Moved, Operator, OutboxOperations, Refused
from beaver.outbox.relay import relay_due
from beaver.outbox.states import State
from beaver.outbox.sweep import sweep_orphans
from beaver.outbox.turns import Claim
from beaver.redaction import Redactor
from beaver.schemas.jobs import PersistJob
from tests.support.ledger import Ledger

ACTED = "memory_gateway_operator_acted"
CLAIM_MS = 60_000
ANNA = Operator("anna@desk", "the Gateway was being moved")
TO_ADD_REFUSED = (State.CLAIMED, State.ADD_REFUSED)
TO_ADD_UNKNOWN = (State.CLAIMED, State.ADDING, State.ADD_UNKNOWN)
TO_FLUSHING = (State.CLAIMED, State.ADDING, State.ADDED, State.FLUSHING)
WAYS = {
    State.ADD_REFUSED: TO_ADD_REFUSED,
    State.ADD_UNKNOWN: TO_ADD_UNKNOWN,
    State.FLUSH_FAILED: (*TO_FLUSHING, State.FLUSH_FAILED),
    State.FLUSH_UNKNOWN: (*TO_FLUSHING, State.FLUSH_UNKNOWN),
    State.FLUSHED: (*TO_FLUSHING, State.FLUSHED),
}
NONE = Consent()
ACCEPTED = Consent(accept_duplicate=True)
HONOURED = Consent(key_honoured=True)


@dataclass
class Bell:
    """A queue that remembers its rings, and may be out of order."""

    works: bool = True
    rings: list[PersistJob] = field(default_factory=list)
    asked: int = 0

    async def enqueue(self, job: PersistJob) -> bool:
        self.asked += 1
        self.rings += [job] if self.works else []
        return self.works

    async def standing(self, _jobs: list[PersistJob]) -> frozenset[str] | None:
        return frozenset() if self.works else None


@dataclass
class Office:
    """A ledger, the operators' desk over it, and the bell it rings."""

    ledger: Ledger
    bell: Bell
    desk: OutboxOperations

    async def turn_in(self, state: State, session_id: str = "s1", holder: str = "worker-1") -> tuple[str, Claim]:
        """A turn that a worker brought to this state, and the claim by which it did."""
        run_id = await self.ledger.complete_turn(session_id)
        claim = await self.claimed(run_id, holder)
        await self.bring(claim, *WAYS[state][1:])
        return run_id, claim

    async def claimed(self, run_id: str, holder: str) -> Claim:
        async with self.ledger.database.write() as tx:
            claim = await self.ledger.claims.claim(tx, run_id, holder, claim_ms=CLAIM_MS)
        assert claim is not None
        return claim

    async def bring(self, claim: Claim, *targets: State) -> bool:
        moved = True
        for target in targets:
            async with self.ledger.database.write() as tx:
                moved = await self.ledger.claims.move(tx, claim, target, detail={"category": "timeout"})
        return moved

    async def acts(self, session_id: str = "s1") -> list[dict[str, Any]]:
        return [payload for kind, payload in await self.ledger.audit(session_id) if kind == ACTED]


@pytest.fixture
def office(database: Database) -> Office:
    bell = Bell()
    desk = OutboxOperations(database, bell, Redactor(["hunter2-known"]))  # type: ignore[arg-type]
    return Office(Ledger(database), bell, desk)


async def test_a_refused_add_is_sent_again_under_a_new_attempt_number(office: Office) -> None:
    run_id, _ = await office.turn_in(State.ADD_REFUSED)
    moved = await office.desk.requeue(run_id, ANNA, NONE)
    assert moved == Moved(run_id, "s1", State.ADD_REFUSED, State.PENDING, 2, rung=True, later_delivered=False)
    assert [ring.job_id for ring in office.bell.rings] == [f"persist:{run_id}:1"]
    story = await office.ledger.story(run_id)
    assert (story.summary.state, story.summary.attempt, story.summary.error_category) == (State.PENDING, 2, None)
    last = story.timeline[-1]
    assert (last.from_state, last.to_state, last.attempt) == (State.ADD_REFUSED, State.PENDING, 2)
    assert (last.actor, dict(last.detail)) == ("operator:anna@desk", {"action": "requeue", "reason": ANNA.reason})
    assert await office.acts() == [
        {
            "action": "requeue",
            "from_state": "add_refused",
            "to_state": "pending",
            "actor": "operator:anna@desk",
            "attempt": 2,
            "reason": ANNA.reason,
        }
    ]
    again = await office.claimed(run_id, "worker-2")
    assert (again.state, again.attempt) == (State.CLAIMED, 2)


async def test_a_failed_flush_is_flushed_again_and_never_added(office: Office) -> None:
    run_id, _ = await office.turn_in(State.FLUSH_FAILED)
    moved = await office.desk.requeue(run_id, Operator("anna"), NONE)
    assert (moved.to_state, moved.attempt, moved.rung) == (State.ADDED, 2, True)
    again = await office.claimed(run_id, "worker-2")
    assert again.state is State.FLUSHING
    assert not await office.bring(again, State.ADDING)
    assert await office.bring(again, State.FLUSHING, State.FLUSHED)


@pytest.mark.parametrize("state", [State.ADD_REFUSED, State.FLUSH_FAILED])
async def test_a_requeue_whose_ring_is_lost_is_delivered_by_the_relay(office: Office, state: State) -> None:
    run_id, _ = await office.turn_in(state)
    office.bell.works = False
    assert (await office.desk.requeue(run_id, ANNA, NONE)).rung is False
    office.bell.works = True
    await office.ledger.make_due(run_id)
    await relay_due(office.ledger.database, office.ledger.store, office.bell)  # type: ignore[arg-type]
    assert [ring.job_id for ring in office.bell.rings] == [f"persist:{run_id}:2"]


async def test_an_unknown_add_is_sent_again_only_where_that_is_accepted_or_harmless(office: Office) -> None:
    first, _ = await office.turn_in(State.ADD_UNKNOWN, "s1")
    second, _ = await office.turn_in(State.ADD_UNKNOWN, "s2")
    with pytest.raises(Conflict, match="--accept-duplicate"):
        await office.desk.requeue(first, ANNA, NONE)
    assert await office.ledger.state(first) is State.ADD_UNKNOWN
    assert (await office.desk.requeue(first, ANNA, ACCEPTED)).to_state is State.PENDING
    assert (await office.desk.requeue(second, ANNA, HONOURED)).to_state is State.PENDING


async def test_an_unknown_flush_is_flushed_again_only_where_that_is_accepted(office: Office) -> None:
    run_id, _ = await office.turn_in(State.FLUSH_UNKNOWN)
    with pytest.raises(Conflict, match="flushed this turn already"):
        await office.desk.requeue(run_id, ANNA, HONOURED)
    assert (await office.desk.requeue(run_id, ANNA, ACCEPTED)).to_state is State.ADDED


@pytest.mark.parametrize("state", [State.ADD_UNKNOWN, State.FLUSH_UNKNOWN])
@pytest.mark.parametrize("reason", [None, "  \n"])
async def test_to_send_an_unknown_again_needs_a_reason(office: Office, state: State, reason: str | None) -> None:
    run_id, _ = await office.turn_in(state)
    with pytest.raises(InvalidInput, match="reason"):
        await office.desk.requeue(run_id, Operator("anna", reason), ACCEPTED)
    assert await office.acts() == []


async def test_a_turn_in_a_workers_hands_is_not_requeued(office: Office) -> None:
    run_id = await office.ledger.complete_turn()
    claim = await office.claimed(run_id, "worker-1")
    await office.bring(claim, State.ADDING)
    with pytest.raises(Conflict, match="in the hands of worker-1"):
        await office.desk.requeue(run_id, ANNA, ACCEPTED)
    await office.ledger.run_out(run_id)
    with pytest.raises(Conflict, match="a sweeper is about to say"):
        await office.desk.requeue(run_id, ANNA, ACCEPTED)
    await sweep_orphans(office.ledger.database, office.ledger.store, "sweeper")
    assert (await office.desk.requeue(run_id, ANNA, ACCEPTED)).to_state is State.PENDING


async def test_turns_that_wait_are_delivered_or_were_skipped_are_not_requeued(office: Office) -> None:
    done, _ = await office.turn_in(State.FLUSHED)
    skipped = await office.ledger.complete_turn(skip_reason="blank_answer")
    waiting = await office.ledger.complete_turn()
    for run_id, words in ((done, "delivered"), (skipped, "never meant"), (waiting, "waits for its delivery")):
        with pytest.raises(Conflict, match=words):
            await office.desk.requeue(run_id, ANNA, ACCEPTED)
    assert await office.acts() == []


async def test_a_turn_of_a_user_whom_no_worker_serves_is_not_sent_again_but_may_be_dropped(office: Office) -> None:
    run_id, _ = await office.turn_in(State.ADD_REFUSED)
    served = frozenset({MemoryOwner("bob", "default", "default")})
    desk = OutboxOperations(office.ledger.database, office.bell, Redactor(), served)  # type: ignore[arg-type]
    with pytest.raises(Conflict, match=r"user 'ada' .* memory.gateway.earlierUsers .* `beaver queue drop`"):
        await desk.requeue(run_id, ANNA, NONE)
    assert await office.ledger.state(run_id) is State.ADD_REFUSED
    assert (await desk.drop(run_id, ANNA)).to_state is State.SKIPPED


@pytest.mark.parametrize("state", [State.ADD_REFUSED, State.FLUSH_FAILED])
async def test_a_dropped_turn_is_told_never_sent_and_purged(office: Office, state: State) -> None:
    run_id, late = await office.turn_in(state)
    dropped = await office.desk.drop(run_id, ANNA)
    assert (dropped.from_state, dropped.to_state, dropped.rung) == (state, State.SKIPPED, None)
    assert office.bell.rings == []
    [act] = await office.acts()
    assert (act["action"], act["to_state"], act["reason"]) == ("drop", "skipped", ANNA.reason)
    assert not await office.bring(late, State.ADDED)
    for again in (office.desk.requeue(run_id, ANNA, ACCEPTED), office.desk.drop(run_id, ANNA)):
        with pytest.raises(Conflict, match="dropped"):
            await again
    assert await office.desk.count_purgeable(older_than_ms=0) == 1


async def test_only_what_ended_badly_and_is_known_is_dropped(office: Office) -> None:
    unknown, _ = await office.turn_in(State.ADD_UNKNOWN)
    done, _ = await office.turn_in(State.FLUSHED)
    waiting = await office.ledger.complete_turn()
    for run_id, words in ((unknown, "queue resolve"), (done, "is flushed"), (waiting, "is pending")):
        with pytest.raises(Conflict, match=words):
            await office.desk.drop(run_id, ANNA)
    assert await office.acts() == []


async def test_of_several_those_that_match_are_dropped(office: Office) -> None:
    refused = [(await office.turn_in(State.ADD_REFUSED, f"s-{number}"))[0] for number in range(3)]
    wanted = TurnFilter(states=(State.ADD_REFUSED,))
    dropped = [one async for one in office.desk.drop_matching(wanted, ANNA, limit=2)]
    assert [one.run_id for one in dropped] == refused[:2]
    outcomes = [one async for one in office.desk.drop_each([refused[0], refused[2]], ANNA)]
    assert [type(one) for one in outcomes] == [Refused, Moved]


async def test_a_late_owner_has_no_say_after_an_operators_decision(office: Office) -> None:
    run_id, late = await office.turn_in(State.ADD_UNKNOWN)
    await office.desk.requeue(run_id, ANNA, ACCEPTED)
    assert not await office.bring(late, State.ADDED)
    assert await office.ledger.state(run_id) is State.PENDING


async def test_a_requeue_that_puts_the_turn_behind_delivered_ones_says_so(office: Office) -> None:
    early, _ = await office.turn_in(State.ADD_REFUSED)
    last, _ = await office.turn_in(State.FLUSHED)
    assert (await office.desk.requeue(early, ANNA, NONE)).later_delivered is True
    assert await office.ledger.state(last) is State.FLUSHED


@pytest.mark.parametrize(
    ("state", "applied", "target", "rung"),
    [
        (State.ADD_UNKNOWN, True, State.ADDED, True),
        (State.ADD_UNKNOWN, False, State.ADD_REFUSED, None),
        (State.FLUSH_UNKNOWN, True, State.FLUSHED, None),
        (State.FLUSH_UNKNOWN, False, State.FLUSH_FAILED, None),
    ],
)
async def test_an_unknown_outcome_is_settled_by_what_a_person_found_out(
    office: Office, state: State, applied: bool, target: State, rung: bool | None
) -> None:
    run_id, late = await office.turn_in(state)
    told_before = await office.ledger.audit()
    moved = await office.desk.resolve(run_id, ANNA, applied=applied)
    assert (moved.to_state, moved.attempt, moved.rung) == (target, 1, rung)
    assert await office.ledger.state(run_id) is target
    told = (await office.ledger.audit())[len(told_before) :]
    assert [(kind, payload["action"], payload["to_state"]) for kind, payload in told] == [
        (ACTED, "resolve_applied" if applied else "resolve_lost", target)
    ]
    assert not await office.bring(late, State.ADDED if state is State.ADD_UNKNOWN else State.FLUSHED)


async def test_an_add_settled_as_applied_goes_on_to_its_flush(office: Office) -> None:
    run_id, _ = await office.turn_in(State.ADD_UNKNOWN)
    await office.desk.resolve(run_id, ANNA, applied=True)
    again = await office.claimed(run_id, "worker-2")
    assert await office.bring(again, State.FLUSHING, State.FLUSHED)


async def test_what_is_lost_keeps_its_category_and_may_be_requeued(office: Office) -> None:
    run_id, _ = await office.turn_in(State.ADD_UNKNOWN)
    await office.desk.resolve(run_id, ANNA, applied=False)
    assert (await office.ledger.story(run_id)).summary.error_category == "timeout"
    assert (await office.desk.requeue(run_id, ANNA, NONE)).to_state is State.PENDING


async def test_what_is_not_unknown_cannot_be_settled(office: Office) -> None:
    run_id, _ = await office.turn_in(State.ADD_REFUSED)
    with pytest.raises(Conflict, match="it is add_refused"):
        await office.desk.resolve(run_id, ANNA, applied=True)


async def test_a_run_that_is_not_in_the_ledger_is_not_found(office: Office) -> None:
    with pytest.raises(NotFound):
        await office.desk.requeue("nope", ANNA, NONE)
    with pytest.raises(NotFound):
        await office.desk.resolve("nope", ANNA, applied=True)
    with pytest.raises(NotFound):
        await office.desk.view_content("nope", ANNA)


async def test_reasons_and_names_are_bounded_cleaned_and_free_of_secrets(office: Office) -> None:
    run_id, _ = await office.turn_in(State.ADD_REFUSED)
    with pytest.raises(InvalidInput, match="at most 500"):
        await office.desk.requeue(run_id, Operator("anna", "x" * 501), NONE)
    with pytest.raises(InvalidInput, match="actor"):
        await office.desk.requeue(run_id, Operator(" "), NONE)
    await office.desk.requeue(
        run_id, Operator("anna\n\x1b[2J", "key was\nhunter2-known, \0 api_key=sk-abc12345678"), NONE
    )
    [act] = await office.acts()
    assert act["actor"] == "operator:anna [2J"
    assert "hunter2-known" not in act["reason"]
    assert "sk-abc" not in act["reason"]


async def test_several_are_requeued_each_on_its_own_and_a_dead_queue_is_asked_once(office: Office) -> None:
    first, _ = await office.turn_in(State.ADD_REFUSED, "s1")
    second, _ = await office.turn_in(State.FLUSH_FAILED, "s2")
    office.bell.works = False
    told = [each async for each in office.desk.requeue_each([first, "nope", second], ANNA, NONE)]
    assert [type(each) for each in told] == [Moved, Refused, Moved]
    assert office.bell.asked == 1


async def test_what_matches_is_requeued_oldest_first_within_the_limit(office: Office) -> None:
    runs = [(await office.turn_in(State.ADD_REFUSED, f"s{number}"))[0] for number in range(4)]
    await office.turn_in(State.FLUSH_FAILED, "other")
    wanted = TurnFilter(states=(State.ADD_REFUSED,))
    told = [each.run_id async for each in office.desk.requeue_matching(wanted, ANNA, NONE, limit=3)]
    assert told == runs[:3]
    assert await office.ledger.state(runs[3]) is State.ADD_REFUSED


async def test_only_one_of_two_requeues_at_once_wins(office: Office) -> None:
    run_id, _ = await office.turn_in(State.ADD_REFUSED)
    told = await asyncio.gather(*(office.desk.requeue(run_id, ANNA, NONE) for _ in range(4)), return_exceptions=True)
    assert sorted(type(each).__name__ for each in told) == ["Conflict", "Conflict", "Conflict", "Moved"]
    assert (await office.ledger.story(run_id)).summary.attempt == 2


async def test_that_somebody_read_the_words_is_told(office: Office) -> None:
    run_id = await office.ledger.complete_turn(prompt="What is tea?", answer="A drink.")
    content = await office.desk.view_content(run_id, ANNA)
    assert (content.prompt, content.answer) == ("What is tea?", "A drink.")
    [act] = await office.acts()
    assert (act["action"], act["actor"], act["from_state"], act["to_state"]) == (
        "view_content",
        "operator:anna@desk",
        "pending",
        "pending",
    )
    assert "tea" not in str(act)
    assert await office.ledger.path(run_id) == [State.PENDING]


async def test_a_purge_takes_what_is_delivered_and_old_and_leaves_what_failed(office: Office) -> None:
    flushed, _ = await office.turn_in(State.FLUSHED)
    skipped = await office.ledger.complete_turn("s2", skip_reason="blank_answer")
    kept = [(await office.turn_in(state, f"k-{state}"))[0] for state in WAYS if state is not State.FLUSHED]
    waiting = await office.ledger.complete_turn("s3")
    assert await office.desk.count_purgeable(older_than_ms=3_600_000) == 0
    assert [count async for count in office.desk.purge(ANNA, older_than_ms=3_600_000)] == []
    assert await office.desk.count_purgeable(older_than_ms=0) == 2
    assert [count async for count in office.desk.purge(ANNA, older_than_ms=0)] == [2]
    assert set(await office.ledger.states()) == {*kept, waiting}
    assert await office.acts("s1") == [audit.operator_purged("operator:anna@desk", turns=1)]
    assert await office.acts("s2") == [audit.operator_purged("operator:anna@desk", turns=1)]
    async with office.ledger.database.read() as tx:
        assert await office.ledger.inspection.find_turn(tx, flushed) is None
        assert await office.ledger.inspection.find_turn(tx, skipped) is None
        assert len(await office.ledger.sessions.history(tx, "s1")) == 2


async def test_a_timeline_goes_with_its_purged_turn(office: Office) -> None:
    await office.turn_in(State.FLUSHED)
    assert [count async for count in office.desk.purge(ANNA, older_than_ms=0)] == [1]
    async with office.ledger.database.read() as tx:
        assert await tx.scalar(select(func.count()).select_from(outbox_timeline)) == 0


async def test_turns_are_filtered_by_age_from_both_ends(office: Office) -> None:
    run_id = await office.ledger.complete_turn()
    async with office.ledger.database.read() as tx:
        fresh = await office.ledger.inspection.list_turns(tx, TurnFilter(newer_than_ms=60_000))
        none = await office.ledger.inspection.list_turns(tx, TurnFilter(newer_than_ms=60_000, older_than_ms=60_000))
        assert await office.ledger.inspection.count(tx, TurnFilter(newer_than_ms=60_000)) == 1
    assert ([turn.run_id for turn in fresh], none) == ([run_id], [])
