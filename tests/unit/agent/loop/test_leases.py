"""One run at a time in a session; who lost it stores nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import update

from beaver.agent.providers.scripted import Pause
from beaver.agent.recording import LeaseTerms
from beaver.agent.tools.base import ToolContext
from beaver.db.engine import Database
from beaver.db.tables import leases
from beaver.errors import Conflict
from beaver.sessions.leases import LeaseStore
from tests.support.engine import SESSION, Engine, Tells, asks, engine, says
from tests.support.waiting import wait_until
from tests.unit.agent.loop.scene import HANGS


async def busy(built: Engine) -> asyncio.Task[Any]:
    """A run that holds the session and waits for its provider."""
    task = asyncio.create_task(built.ask("first"))

    async def asked() -> bool:
        return bool(built.provider.requests)

    await wait_until(asked)
    return task


async def test_a_busy_session_rejects_or_queues_as_the_request_says(database: Database) -> None:
    built = engine(database, [[Pause(0.4), says("one")], says("two")])
    first = await busy(built)
    with pytest.raises(Conflict):
        await built.ask("impatient", on_busy="reject")
    second = await built.ask("second")
    assert (await first).text == "one"
    assert second.text == "two"
    assert await built.spoken() == [("user", "first"), ("assistant", "one"), ("user", "second"), ("assistant", "two")]


async def test_sessions_run_side_by_side(sqlite_database: Database) -> None:
    built = engine(sqlite_database, [HANGS, says("quick")])
    slow = await busy(built)
    assert (await built.ask("hello", "s-2")).text == "quick"
    assert not slow.done()
    slow.cancel()
    await asyncio.wait({slow})


async def take_over(database: Database) -> None:
    """Another server takes the session, as it may once the lease has expired."""
    store = LeaseStore(database.dialect)
    async with database.write() as tx:
        # In one transaction, or the holder's renewal comes in between.
        await tx.execute(update(leases).values(expires_ms=0))
        assert await store.acquire(tx, SESSION, "run-elsewhere", "elsewhere", 30_000)


async def test_a_lost_lease_aborts_the_run_at_once(database: Database) -> None:
    built = engine(database, [HANGS], lease_terms=LeaseTerms("test", ttl_s=0.3))
    run = await busy(built)
    await take_over(database)
    result = await asyncio.wait_for(run, 10)
    assert (result.stop_reason, result.error) == ("error", "conflict")
    assert "another process took over" in result.text
    assert await built.spoken() == [("user", "first")]
    assert [row.run_id for row in await built.ledger()] == []
    assert (await built.runs())[0].status == "failed"


async def test_a_holder_that_stalled_cannot_store_its_answer(database: Database) -> None:
    class Stalls(Tells):
        async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
            await take_over(database)
            return "late"

    built = engine(database, [asks(("lookup", {})), says("never stored")], tools=[Stalls()])
    result = await built.ask("hello")
    assert result.error == "conflict"
    assert "never stored" not in str(await built.spoken())
