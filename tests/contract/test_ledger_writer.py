"""The worker's pen on both databases: many turns at once, and a lock in other hands that holds up nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text

from beaver.db.engine import Database
from beaver.outbox import audit
from beaver.outbox.claim_store import Taken
from beaver.outbox.ledger_writer import LedgerWriter, Written
from beaver.outbox.states import State
from tests.support.ledger import Ledger
from tests.support.postgres import PostgresServer

CLAIM_MS = 60_000


@pytest.fixture
def ledger(database: Database) -> Ledger:
    return Ledger(database)


def pen(ledger: Ledger, holder: str = "left") -> LedgerWriter:
    return LedgerWriter(ledger.database, ledger.store, ledger.sessions, holder, CLAIM_MS, sendable=lambda *_: True)


async def taken(writer: LedgerWriter, *run_ids: str) -> list[Taken]:
    return [each for each in await asyncio.gather(*(writer.take(run_id) for run_id in run_ids)) if each is not None]


async def test_turns_claimed_together_come_with_their_own_texts(ledger: Ledger) -> None:
    runs = [await ledger.complete_turn(f"s{n}", prompt=f"question {n}", answer=f"answer {n}") for n in range(5)]
    found = await taken(pen(ledger), *runs)
    assert [each.claim.turn.run_id for each in found] == runs
    assert [list(each.texts.values()) for each in found] == [[f"question {n}", f"answer {n}"] for n in range(5)]


async def test_the_same_turn_asked_for_twice_in_one_group_is_taken_once(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn()
    assert len(await taken(pen(ledger), run_id, run_id)) == 1


async def test_of_two_pens_one_gets_each_turn(ledger: Ledger) -> None:
    runs = [await ledger.complete_turn(f"s{number}") for number in range(10)]
    both = await asyncio.gather(taken(pen(ledger, "left"), *runs), taken(pen(ledger, "right"), *runs[::-1]))
    assert sorted(each.claim.turn.run_id for group in both for each in group) == sorted(runs)


async def test_an_end_rings_for_the_next_turn_of_its_own_session(ledger: Ledger) -> None:
    firsts = [await ledger.complete_turn(f"s{number}") for number in range(3)]
    seconds = [await ledger.complete_turn(f"s{number}") for number in range(2)]
    writer = pen(ledger)
    ends = await asyncio.gather(
        *(
            writer.move(each.claim, (State.ADD_REFUSED, audit.add_failed("unauthorized", "refused", 401)))
            for each in await taken(writer, *firsts)
        )
    )
    rung = [end.ring.run_id if isinstance(end, Written) and end.ring else None for end in ends]
    assert rung == [*seconds, None]


async def test_steps_whose_acknowledgement_was_lost_are_repeated_without_being_told_twice(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn()
    writer = pen(ledger)
    [held] = await taken(writer, run_id)
    confirmed = (State.ADDED, audit.add_succeeded("s1", message_count=2, attempt=1))
    for _ in range(2):
        assert await writer.move(held.claim, confirmed, (State.FLUSHING, {})) == Written()
    assert [kind for kind, _ in await ledger.audit()] == ["memory_gateway_add_succeeded"]
    assert (await ledger.path(run_id))[-2:] == [State.ADDED, State.FLUSHING]


async def test_a_turn_handed_back_before_its_flush_is_flushed_by_the_next_and_told_once(ledger: Ledger) -> None:
    run_id = await ledger.complete_turn()
    left, right = pen(ledger, "left"), pen(ledger, "right")
    [held] = await taken(left, run_id)
    await left.move(held.claim, (State.ADDED, audit.add_succeeded("s1", message_count=2, attempt=1)))
    await left.move(held.claim, (State.FLUSHING, {}))
    ring = await left.hand_back(held.claim, add_sent=True)
    assert ring is not None
    assert await left.move(held.claim, (State.FLUSHED, audit.flush_succeeded("s1"))) is None
    [again] = await taken(right, run_id)
    assert again.claim.state is State.FLUSHING
    await right.move(again.claim, (State.FLUSHED, audit.flush_succeeded("s1")))
    assert [kind for kind, _ in await ledger.audit()] == [
        "memory_gateway_add_succeeded",
        "memory_gateway_flush_succeeded",
    ]


@pytest.fixture
async def postgres_ledger(postgres_server: PostgresServer, postgres_template: str) -> AsyncIterator[Ledger]:
    """On PostgreSQL alone: SQLite locks the whole file, so that there is no other turn."""
    name = await postgres_server.create_database(postgres_template)
    database = Database.open(postgres_server.url(name))
    yield Ledger(database)
    await database.close()
    await postgres_server.drop_database(name)


async def test_a_session_in_other_hands_holds_up_its_own_turn_and_no_other(postgres_ledger: Ledger) -> None:
    ledger = postgres_ledger
    stuck, free = await ledger.complete_turn("stuck"), await ledger.complete_turn("free")
    writer = pen(ledger)
    held = {each.claim.turn.run_id: each.claim for each in await taken(writer, stuck, free)}
    refused = (State.ADD_REFUSED, audit.add_failed("unauthorized", "refused", 401))
    async with ledger.database.write() as tx:
        await tx.execute(text("UPDATE sessions SET title = 'held' WHERE id = 'stuck'"))
        waiting = asyncio.create_task(writer.move(held[stuck], refused))
        assert await writer.move(held[free], refused) == Written()
        assert not waiting.done()
    assert await waiting == Written()
    assert set((await ledger.states()).values()) == {State.ADD_REFUSED}
