"""Claims of requests in SQL: what a crash left behind may be taken over, whatever became of other requests."""

from __future__ import annotations

from beaver.db.engine import Database, Transaction
from beaver.sessions.run_queue import RunQueueStore
from beaver.sessions.run_requests import RunRequestStore

AT_ONCE = 0


async def test_a_claim_that_a_crash_left_is_taken_over_while_another_requests_run_is_recorded(
    database: Database,
) -> None:
    claims = RunRequestStore(database.dialect)
    async with database.write() as tx:
        await recorded(database, tx, "other", "run_1")
        assert await claim(claims, tx, "left", "run_2")
        assert await claim(claims, tx, "left", "run_3")


async def test_a_claim_whose_run_is_recorded_is_not_taken_over(database: Database) -> None:
    claims = RunRequestStore(database.dialect)
    async with database.write() as tx:
        await recorded(database, tx, "known", "run_1")
        assert not await claim(claims, tx, "known", "run_2")


async def test_what_a_retry_has_claimed_since_its_first_try_looked_is_not_dropped(database: Database) -> None:
    claims = RunRequestStore(database.dialect)
    async with database.write() as tx:
        assert not await claims.take(tx, "caller", "late")
        await recorded(database, tx, "retry", "run_1")
        assert await claim(claims, tx, "late", "run_1")
        await claims.drop(tx, "caller", "retry", unless="late")
        assert not await claim(claims, tx, "retry", "run_2")

        assert await claims.take(tx, "caller", "late")
        await claims.drop(tx, "caller", "retry", unless="late")
        assert await claim(claims, tx, "retry", "run_3")


async def claim(claims: RunRequestStore, tx: Transaction, key: str, run_id: str) -> bool:
    return await claims.claim(tx, "caller", key, "hash", run_id, keep_ms=60_000, start_ms=AT_ONCE)


async def recorded(database: Database, tx: Transaction, key: str, run_id: str) -> None:
    """A request whose run every server knows."""
    assert await claim(RunRequestStore(database.dialect), tx, key, run_id)
    await RunQueueStore(database.dialect).enqueue(tx, run_id, "s-1")
