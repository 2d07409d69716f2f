"""The ledger keeps its rules on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import text

from beaver.db.engine import Database
from beaver.db.tables import UNFINISHED, outbox
from beaver.outbox import audit
from beaver.outbox.inspection import TurnFilter
from beaver.outbox.relay import relay_due
from beaver.outbox.states import State
from beaver.outbox.sweep import sweep_orphans
from beaver.outbox.turns import Claim
from beaver.schemas.jobs import PersistJob
from tests.support.ledger import Ledger
from tests.support.plans import Told, plan_of

CLAIM_MS = 60_000


@pytest.fixture
def ledger(database: Database) -> Ledger:
    return Ledger(database)


async def claim(ledger: Ledger, run_id: str, holder: str = "left") -> Claim | None:
    async with ledger.database.write() as tx:
        return await ledger.claims.claim(tx, run_id, holder, claim_ms=CLAIM_MS)


async def taken(ledger: Ledger, run_id: str, holder: str = "left") -> Claim:
    found = await claim(ledger, run_id, holder)
    assert found is not None
    return found


async def move(ledger: Ledger, held: Claim, *targets: State) -> bool:
    moved = True
    for target in targets:
        async with ledger.database.write() as tx:
            moved = await ledger.claims.move(tx, held, target, detail={"category": "timeout", "http_status": 504})
    return moved


class Bell:
    """A queue that remembers its rings, and may be out of order."""

    def __init__(self, *, works: bool = True) -> None:
        self.works = works
        self.rings: list[PersistJob] = []
        self.queued: frozenset[str] = frozenset()

    async def enqueue(self, job: PersistJob) -> bool:
        self.rings += [job] if self.works else []
        return self.works

    async def standing(self, _jobs: list[PersistJob]) -> frozenset[str] | None:
        return self.queued if self.works else None


async def relay(ledger: Ledger, bell: Bell) -> int:
    return await relay_due(ledger.database, ledger.store, bell)  # type: ignore[arg-type]


async def test_a_turn_enters_as_pending_with_its_first_timeline_row(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn()
    story = await ledger.story(run_id)
    assert (story.summary.state, story.summary.attempt, story.summary.generation) == (State.PENDING, 1, 0)
    assert [(entry.from_state, entry.to_state, entry.actor) for entry in story.timeline] == [
        (None, State.PENDING, "chat")
    ]
    assert await ledger.audit() == []


async def test_a_skipped_turn_ends_at_once_and_says_why(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn(skip_reason="blank_answer")
    assert await ledger.state(run_id) is State.SKIPPED
    assert await ledger.audit() == [("memory_gateway_add_skipped", {"reason": "blank_answer"})]
    assert await claim(ledger, run_id) is None


async def test_of_many_that_claim_at_the_same_instant_one_gets_the_turn(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn()
    claims = await asyncio.gather(*(claim(ledger, run_id, f"worker-{number}") for number in range(12)))
    winners = [each for each in claims if each is not None]
    assert len(winners) == 1
    assert (await ledger.story(run_id)).summary.holder == winners[0].holder


async def test_a_later_turn_waits_for_the_earlier_one_of_its_session(ledger: Ledger) -> None:
    first, second = await ledger.complete_turn(), await ledger.complete_turn()
    elsewhere = await ledger.complete_turn("s2")
    assert await claim(ledger, second) is None
    assert await claim(ledger, elsewhere) is not None
    held = await taken(ledger, first)
    assert await claim(ledger, second) is None
    await move(ledger, held, State.ADDING, State.ADD_UNKNOWN)
    assert await claim(ledger, second) is not None


async def test_each_move_writes_its_timeline_row_and_the_event_it_owes(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn()
    held = await taken(ledger, run_id)
    confirmed = audit.add_succeeded("s1", message_count=2, attempt=1)
    async with ledger.database.write() as tx:
        assert await ledger.claims.move(tx, held, State.ADDING)
        assert await ledger.claims.move(tx, held, State.ADDED, detail=confirmed)
        assert await ledger.claims.move(tx, held, State.FLUSHING)
        assert await ledger.claims.move(tx, held, State.FLUSHED, detail=audit.flush_succeeded("s1"))
    assert await ledger.path(run_id) == [
        State.PENDING,
        State.CLAIMED,
        State.ADDING,
        State.ADDED,
        State.FLUSHING,
        State.FLUSHED,
    ]
    assert await ledger.audit() == [
        ("memory_gateway_add_succeeded", {"gateway_session": "chat:s1", "message_count": 2, "attempt": 1}),
        ("memory_gateway_flush_succeeded", {"gateway_session": "chat:s1"}),
    ]


async def test_a_move_and_its_event_are_taken_back_together(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn()
    held = await taken(ledger, run_id)

    async def cut_short() -> None:
        async with ledger.database.write() as tx:
            await ledger.claims.move(tx, held, State.ADD_REFUSED, detail=audit.add_failed("timeout", "refused"))
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        await cut_short()
    assert await ledger.state(run_id) is State.CLAIMED
    assert await ledger.audit() == []


async def test_a_move_repeated_after_a_lost_acknowledgement_is_told_once(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn()
    held = await taken(ledger, run_id)
    await move(ledger, held, State.ADDING)
    assert await move(ledger, held, State.ADDED, State.ADDED)
    assert len(await ledger.audit()) == 1
    assert (await ledger.path(run_id)).count(State.ADDED) == 1


async def test_a_lost_claim_moves_nothing(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn()
    slow = await taken(ledger, run_id, "slow")
    await ledger.run_out(run_id)
    await sweep_orphans(ledger.database, ledger.store, "sweeper")
    fast = await taken(ledger, run_id, "fast")
    assert not await move(ledger, slow, State.ADDING)
    assert await move(ledger, fast, State.ADDING)
    assert (await ledger.story(run_id)).summary.holder == "fast"


async def test_a_turn_whose_session_is_deleted_is_simply_gone(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn()
    held = await taken(ledger, run_id)
    async with ledger.database.write() as tx:
        await ledger.sessions.delete_session(tx, "s1")
    assert not await move(ledger, held, State.ADDING)
    assert await claim(ledger, run_id) is None


@pytest.mark.parametrize(
    ("path", "end", "event"),
    [
        ([], State.PENDING, None),
        ([State.ADDING], State.ADD_UNKNOWN, ("memory_gateway_add_failed", "add")),
        ([State.ADDING, State.ADDED, State.FLUSHING], State.FLUSH_UNKNOWN, ("memory_gateway_flush_failed", "flush")),
    ],
)
async def test_the_sweeper_judges_a_turn_whose_holder_is_gone(
    ledger: Ledger, path: list[State], end: State, event: tuple[str, str] | None
) -> None:
    run_id = await ledger.complete_turn()
    await move(ledger, await taken(ledger, run_id), *path)
    assert not (await sweep_orphans(ledger.database, ledger.store, "sweeper")).states
    await ledger.run_out(run_id)
    swept = await sweep_orphans(ledger.database, ledger.store, "sweeper")
    assert dict(swept.states) == {end: 1}
    assert await ledger.state(run_id) is end
    told = (await ledger.audit())[-1] if event else None
    if event is not None and told is not None:
        assert (told[0], told[1]["operation"], told[1]["category"]) == (*event, "worker_lost")
        assert told[1]["outcome"] == "unknown"


async def test_sweepers_that_race_judge_an_orphan_once(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn()
    await move(ledger, await taken(ledger, run_id), State.ADDING)
    await ledger.run_out(run_id)
    swept = await asyncio.gather(*(sweep_orphans(ledger.database, ledger.store, f"sweeper-{n}") for n in range(6)))
    assert sum(each.states[State.ADD_UNKNOWN] for each in swept) == 1
    assert len(await ledger.audit()) == 1


async def test_a_swept_turn_rings_for_itself_and_an_unknown_one_for_the_next_of_its_session(ledger: Ledger) -> None:
    only, first, second = await ledger.complete_turn("s2"), await ledger.complete_turn(), await ledger.complete_turn()
    await taken(ledger, only)
    await move(ledger, await taken(ledger, first), State.ADDING)
    await ledger.run_out(only)
    await ledger.run_out(first)
    swept = await sweep_orphans(ledger.database, ledger.store, "sweeper")
    assert {ring.job_id for ring in swept.rings} == {f"persist:{only}:1", f"persist:{second}:1"}


async def test_a_late_owner_corrects_an_unknown_and_goes_on_to_flush(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn()
    late = await taken(ledger, run_id)
    await move(ledger, late, State.ADDING)
    await ledger.run_out(run_id)
    await sweep_orphans(ledger.database, ledger.store, "sweeper")
    assert await ledger.state(run_id) is State.ADD_UNKNOWN
    assert await move(ledger, late, State.ADDED, State.FLUSHING, State.FLUSHED)
    assert [kind for kind, _ in await ledger.audit()] == [
        "memory_gateway_add_failed",
        "memory_gateway_add_succeeded",
        "memory_gateway_flush_succeeded",
    ]
    summary = (await ledger.story(run_id)).summary
    assert (summary.state, summary.holder) == (State.FLUSHED, "left")


async def test_an_added_turn_whose_holder_is_gone_is_rung_for_and_taken_for_its_flush(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn()
    await move(ledger, await taken(ledger, run_id), State.ADDING, State.ADDED)
    bell = Bell()
    assert await relay(ledger, bell) == 0
    assert await claim(ledger, run_id, "right") is None
    await ledger.run_out(run_id)
    assert await relay(ledger, bell) == 1
    again = await taken(ledger, run_id, "right")
    assert again.state is State.FLUSHING


async def test_the_relay_rings_for_what_is_due_with_a_fresh_generation(ledger: Ledger) -> None:
    bell = Bell()
    due, fresh = await ledger.complete_turn("s1", traceparent="00-a-b-01"), await ledger.complete_turn("s2")
    await ledger.make_due(due)
    assert await relay(ledger, bell) == 1
    assert bell.rings == [PersistJob(run_id=due, generation=1, traceparent="00-a-b-01")]
    assert await relay(ledger, bell) == 0
    assert (await ledger.generation(due), await ledger.generation(fresh)) == (1, 0)


async def test_many_that_are_due_are_rung_for_or_put_off_together(ledger: Ledger) -> None:
    bell = Bell()
    runs = [await ledger.complete_turn(f"s{number}") for number in range(6)]
    for run_id in runs:
        await ledger.make_due(run_id)
    bell.queued = frozenset(f"persist:{run_id}:0" for run_id in runs[:3])
    assert await relay(ledger, bell) == 3
    assert {ring.job_id for ring in bell.rings} == {f"persist:{run_id}:1" for run_id in runs[3:]}
    assert await relay(ledger, bell) == 0


async def test_the_relay_does_not_ring_behind_an_unfinished_turn(ledger: Ledger) -> None:
    bell = Bell()
    first, second = await ledger.complete_turn(), await ledger.complete_turn()
    await ledger.make_due(first)
    await ledger.make_due(second)
    await relay(ledger, bell)
    assert [ring.run_id for ring in bell.rings] == [first]


async def test_two_relays_at_once_ring_once(ledger: Ledger) -> None:
    bell = Bell()
    run_id = await ledger.complete_turn()
    await ledger.make_due(run_id)
    await asyncio.gather(*(relay(ledger, bell) for _ in range(5)))
    assert [ring.job_id for ring in bell.rings] == [f"persist:{run_id}:1"]


async def test_a_ring_that_still_stands_in_the_queue_is_not_doubled(ledger: Ledger) -> None:
    bell = Bell()
    run_id = await ledger.complete_turn()
    await ledger.make_due(run_id)
    bell.queued = frozenset({f"persist:{run_id}:0"})
    assert await relay(ledger, bell) == 0
    assert await ledger.generation(run_id) == 0
    bell.queued = frozenset()
    assert await relay(ledger, bell) == 0
    await ledger.make_due(run_id)
    assert await relay(ledger, bell) == 1


async def test_a_queue_that_is_down_costs_no_generation(ledger: Ledger) -> None:
    bell = Bell(works=False)
    run_id = await ledger.complete_turn()
    await ledger.make_due(run_id)
    assert await relay(ledger, bell) == 0
    assert await ledger.generation(run_id) == 0
    bell.works = True
    assert await relay(ledger, bell) == 1


async def test_stats_count_every_state_and_know_the_oldest_wait(ledger: Ledger) -> None:
    async with ledger.database.read() as tx:
        empty = await ledger.inspection.stats(tx)
    assert empty.oldest_pending_age_ms is None
    assert set(empty.counts.values()) == {0}
    await ledger.complete_turn("s1")
    await ledger.complete_turn("s2", skip_reason="blank_answer")
    async with ledger.database.read() as tx:
        stats = await ledger.inspection.stats(tx)
    assert (stats.counts[State.PENDING], stats.counts[State.SKIPPED], stats.counts[State.FLUSHED]) == (1, 1, 0)
    assert stats.oldest_pending_age_ms is not None
    assert 0 <= stats.oldest_pending_age_ms < 60_000


async def test_turns_are_listed_by_filter_and_page_newest_first(ledger: Ledger) -> None:
    runs = [await ledger.complete_turn(f"s{number}") for number in range(5)]
    await move(ledger, await taken(ledger, runs[0]), State.ADDING, State.ADD_UNKNOWN)

    async def listed(wanted: TurnFilter, **page: object) -> list[str]:
        async with ledger.database.read() as tx:
            return [turn.run_id for turn in await ledger.inspection.list_turns(tx, wanted, **page)]  # type: ignore[arg-type]

    assert await listed(TurnFilter()) == runs[::-1]
    assert await listed(TurnFilter(states=(State.ADD_UNKNOWN,), category="timeout", http_status=504)) == [runs[0]]
    assert await listed(TurnFilter(session_id="s3")) == [runs[3]]
    assert await listed(TurnFilter(older_than_ms=3_600_000)) == []
    async with ledger.database.read() as tx:
        page = await ledger.inspection.list_turns(tx, TurnFilter(), limit=2)
    assert await listed(TurnFilter(), limit=2, before=page[-1].cursor) == [runs[2], runs[1]]


# A plan of PostgreSQL's is by what it counted: of a ledger that has grown, in a transaction that leaves nothing behind.
_NEW = {
    "run_id": "'many-' || n",
    "session_id": "'many-' || n % 100",
    "position": "1000000 + n",
    "due_ms": "n",
    "state": "CASE WHEN n % 5 = 0 THEN 'pending' ELSE 'flushed' END",
}
LARGE = (
    "SET LOCAL session_replication_role = replica",  # the sessions are not there
    f"INSERT INTO outbox ({', '.join(each.name for each in outbox.c)})"
    f" SELECT {', '.join(_NEW.get(each.name, each.name) for each in outbox.c)} FROM outbox, generate_series(1, 10000) n",
    "ANALYZE outbox",
)


async def test_looking_for_work_never_reads_the_whole_ledger(ledger: Ledger) -> None:
    queries = [
        f"SELECT run_id FROM outbox WHERE outbox.{UNFINISHED} AND outbox.due_ms <= 5 ORDER BY due_ms LIMIT 5",
        "SELECT run_id FROM outbox WHERE EXISTS (SELECT 1 FROM outbox AS earlier WHERE earlier.session_id ="
        f" outbox.session_id AND earlier.position < outbox.position AND earlier.{UNFINISHED}) AND run_id = 'x'",
    ]
    await ledger.complete_turn()
    async with ledger.database.read() as tx:
        if ledger.database.dialect.name == "postgresql":
            for statement in LARGE:
                await tx.execute(text(statement))
        plans = [" ".join(await plan_of(tx, Told(query, ()))) for query in queries]
    assert not any(scan in plan for plan in plans for scan in ("SCAN outbox", "SCAN earlier", "Seq Scan"))
    assert "ix_outbox_unfinished_order" in plans[1]


async def test_a_turn_that_may_be_sent_is_claimed_and_about_to_be_added_in_one_move(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn(prompt="Why?", answer="So.")
    claim = await claimed_if(ledger, run_id, ("Why?", "So."))
    assert (claim.state, claim.fence) == (State.ADDING, 1)
    assert await ledger.state(run_id) is State.ADDING
    assert (await ledger.path(run_id))[-2:] == [State.CLAIMED, State.ADDING]


async def test_a_turn_that_may_not_be_sent_is_claimed_alone(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn(prompt="Why?", answer="So.")
    assert (await claimed_if(ledger, run_id, ("Else?", "So."))).state is State.CLAIMED
    assert await ledger.state(run_id) is State.CLAIMED


async def claimed_if(ledger: Ledger, run_id: str, texts: tuple[str, ...]) -> Claim:
    """Claimed by a worker that sends turns of these texts alone."""
    async with ledger.database.write() as tx:
        [(moved, taken)] = await ledger.claims.claims(
            tx, [run_id], "left", claim_ms=CLAIM_MS, sendable=lambda _, found: tuple(found.values()) == texts
        )
        await ledger.claims.write(tx, [moved])
    return taken.claim
