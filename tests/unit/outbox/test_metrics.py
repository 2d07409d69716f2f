"""The ledger's metrics on both databases: true at the moment of the scrape, and silent where nothing is known."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import update

from beaver.db.engine import Database
from beaver.db.tables import outbox
from beaver.outbox.depth import LedgerDepth
from beaver.outbox.heartbeats import Heartbeat, HeartbeatStore
from beaver.outbox.metrics import ledger_exposition, read_ledger
from beaver.outbox.states import State
from tests.support.ledger import Ledger

Samples = dict[tuple[str, str | None], float]


def samples(exposed: bytes) -> Samples:
    families = text_string_to_metric_families(exposed.decode())
    return {(each.name, each.labels.get("state")): each.value for family in families for each in family.samples}


async def scrape(ledger: Ledger) -> Samples:
    async with aclosing(LedgerDepth(ledger.database)) as depth:
        return samples(ledger_exposition(await read_ledger(ledger.database, ledger.store, depth)))


async def test_an_empty_ledger_says_zero_for_every_state(database: Database) -> None:
    told = await scrape(Ledger(database))

    depth: Samples = {("beaver_outbox_turns", state): 0 for state in State}
    assert told == {
        **depth,
        ("beaver_ledger_up", None): 1,
        ("beaver_outbox_ready", None): 0,
        ("beaver_outbox_oldest_pending_age_seconds", None): 0,
        ("beaver_workers_alive", None): 0,
        ("beaver_withdrawals_waiting", None): 0,
    }


async def test_turns_behind_an_earlier_one_are_deep_but_not_ready(database: Database) -> None:
    ledger = Ledger(database)
    first, _, _ = [await ledger.complete_turn("s1") for _ in range(3)]
    await ledger.complete_turn("s2")
    assert (await scrape(ledger))[("beaver_outbox_ready", None)] == 2

    async with database.write() as tx:
        await ledger.claims.claim(tx, first, "worker", claim_ms=60_000)

    told = await scrape(ledger)
    assert told[("beaver_outbox_ready", None)] == 1
    assert told[("beaver_outbox_turns", State.PENDING)] == 3
    assert told[("beaver_outbox_turns", State.CLAIMED)] == 1


async def test_an_added_turn_is_ready_once_its_worker_is_gone(database: Database) -> None:
    ledger = Ledger(database)
    run_id = await ledger.complete_turn()
    async with database.write() as tx:
        claim = await ledger.claims.claim(tx, run_id, "worker", claim_ms=60_000)
        assert claim is not None
        for state in (State.ADDING, State.ADDED):
            assert await ledger.claims.move(tx, claim, state)
    assert (await scrape(ledger))[("beaver_outbox_ready", None)] == 0

    await ledger.run_out(run_id)

    assert (await scrape(ledger))[("beaver_outbox_ready", None)] == 1


async def test_the_age_of_the_oldest_pending_turn_is_in_seconds(database: Database) -> None:
    ledger = Ledger(database)
    run_id = await ledger.complete_turn()
    async with database.write() as tx:
        born = update(outbox).where(outbox.c.run_id == run_id).values(created_ms=outbox.c.created_ms - 90_000)
        await tx.execute(born)

    age = (await scrape(ledger))[("beaver_outbox_oldest_pending_age_seconds", None)]

    assert 90 <= age < 120


async def test_living_workers_are_counted(database: Database) -> None:
    async with database.write() as tx:
        await HeartbeatStore(database.dialect).beat(tx, Heartbeat("w", "host", 7, "0.1.0", 0, draining=False))

    assert (await scrape(Ledger(database)))[("beaver_workers_alive", None)] == 1


async def test_a_ledger_that_cannot_be_read_tells_no_depth(tmp_path: Path) -> None:
    unreadable = Database.open(f"sqlite:///{tmp_path / 'no.db'}")
    (tmp_path / "no.db").write_bytes(b"this is no database" * 100)

    assert await scrape(Ledger(unreadable)) == {("beaver_ledger_up", None): 0}
    await unreadable.close()
