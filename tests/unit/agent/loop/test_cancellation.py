"""A run that is cancelled ends as cancelled, leaves a history every provider accepts, and never loses a finished answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from beaver.agent.results import Answered, RunEvent, RunRequest
from beaver.agent.tools.base import ToolContext
from beaver.agent.transcript import open_calls
from beaver.db.engine import Database, Transaction
from beaver.outbox.store import OutboxStore
from beaver.outbox.turns import NewTurn
from beaver.sessions.history import INTERRUPTED
from beaver.sessions.records import MESSAGE, NewEvent
from beaver.sessions.store import SessionStore
from tests.support.engine import SESSION, Engine, Tells, asks, engine, says
from tests.support.gateway import gateway_service
from tests.support.waiting import wait_until
from tests.unit.agent.loop.scene import HANGS


async def cancelled(run: asyncio.Task[Any]) -> None:
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(run, 10)


async def started(built: Engine, prompt: str = "hello") -> asyncio.Task[Any]:
    """A run whose provider has been asked."""
    run = asyncio.create_task(built.ask(prompt))

    async def asked() -> bool:
        return bool(built.provider.requests)

    await wait_until(asked)
    return run


async def test_a_run_cancelled_while_the_provider_speaks_ends_as_cancelled_and_frees_the_session(
    database: Database,
) -> None:
    async with gateway_service() as gateway:
        built = engine(database, [HANGS, says("here I am")], gateway=gateway)
        await cancelled(await started(built))
        (run,) = await built.runs()
        assert (run.status, run.stop_reason) == ("cancelled", "interrupted")
        assert await built.spoken() == [("user", "hello")]
        assert await built.ledger() == []
        assert (await built.ask("again", on_busy="reject")).text == "here I am"


async def test_a_run_cancelled_before_it_began_leaves_nothing_behind(sqlite_database: Database) -> None:
    built = engine(sqlite_database, [says("never")])
    run = asyncio.create_task(built.ask("hello"))
    await asyncio.sleep(0)
    await cancelled(run)
    assert [row.status for row in await built.runs()] in ([], ["cancelled"])
    assert (await built.ask("again", on_busy="reject")).error is None


async def test_open_tool_calls_are_closed_as_interrupted_and_the_next_turn_goes_on(database: Database) -> None:
    class Hangs(Tells):
        async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
            hanging.set()
            await asyncio.Event().wait()
            return ""

    hanging = asyncio.Event()
    built = engine(
        database,
        [asks(("quick", {}), ("slow", {}), ("quick", {"n": 2})), says("where were we?")],
        tools=[Tells("quick"), Hangs("slow")],
    )
    run = asyncio.create_task(built.ask("do it all"))
    await hanging.wait()
    await cancelled(run)

    results = [event for event in await built.events() if event.role == "tool"]
    assert [(event.payload["tool_call_id"], event.content) for event in results] == [
        *(("c1", "found it"), ("c2", INTERRUPTED), ("c3", INTERRUPTED)),
    ]
    assert [event.payload["is_error"] for event in results] == [False, True, True]
    assert (await built.ask("go on")).text == "where were we?"
    assert open_calls(built.provider.requests[-1].messages) == ()


async def test_a_call_left_open_by_a_crash_does_not_brick_the_session(sqlite_database: Database) -> None:
    built = engine(sqlite_database, [says("back again")], tools=[Tells()])
    call = {"id": "c1", "name": "lookup", "arguments": "{}"}
    async with sqlite_database.write() as tx:
        await built.sessions.ensure_session(tx, SESSION)
        await built.sessions.append(tx, SESSION, None, NewEvent(MESSAGE, "hello", "user"))
        await built.sessions.append(tx, SESSION, None, NewEvent(MESSAGE, "", "assistant", {"tool_calls": [call]}))
    assert (await built.ask("still there?")).text == "back again"
    messages = built.provider.requests[-1].messages
    assert [(message.role, message.tool_call_id) for message in messages[2:4]] == [("assistant", None), ("tool", "c1")]
    assert open_calls(messages) == ()


class CancelsInTheCommit(OutboxStore):
    """Cancels the run in the middle of the transaction that stores its answer."""

    run: asyncio.Task[Any]

    async def insert(self, tx: Transaction, turn: NewTurn, *, skip_reason: str | None = None) -> None:
        self.run.cancel()
        await asyncio.sleep(0)
        await super().insert(tx, turn, skip_reason=skip_reason)


async def test_a_cancellation_during_the_commit_does_not_lose_the_answer(database: Database) -> None:
    outbox = CancelsInTheCommit(database.dialect, SessionStore(database.dialect))
    async with gateway_service() as gateway:
        built = engine(database, [says("good day")], gateway=gateway, outbox=outbox)
        outbox.run = asyncio.create_task(built.ask("hello"))
        with pytest.raises(asyncio.CancelledError):
            await outbox.run
    assert await built.spoken() == [("user", "hello"), ("assistant", "good day")]
    (run,) = await built.runs()
    assert run.status == "completed"
    assert [row.state for row in await built.ledger()] == ["pending"]


async def test_a_cancellation_after_the_answer_is_out_changes_nothing_of_it(sqlite_database: Database) -> None:
    async def emit(event: RunEvent) -> None:
        if isinstance(event, Answered):
            run.cancel()

    async with gateway_service() as gateway:
        built = engine(sqlite_database, [says("good day")], gateway=gateway)
        run = asyncio.create_task(built.loop.run(RunRequest("hello", SESSION), emit))
        with pytest.raises(asyncio.CancelledError):
            await run
    (stored,) = await built.runs()
    assert stored.status == "completed"
    assert [row.state for row in await built.ledger()] == ["pending"]
