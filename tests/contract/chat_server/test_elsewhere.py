"""A run at another server, told from what is stored of it: whole, whatever its own server could still write."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from beaver.agent.messages import TextDelta
from beaver.db.engine import Database, Transaction
from beaver.server.runs import stored
from beaver.server.runs.elsewhere import StoredRun
from beaver.server.runs.stored import StoredRuns
from beaver.sessions.records import MESSAGE, NewEvent
from beaver.sessions.run_events import RunEventStore, StreamEvent
from beaver.sessions.store import SessionStore

Told = tuple[str, dict[str, Any]]

ANSWER = "Beavers build dams."
STARTED = ("run.started", {"run_id": "r", "session_id": "s"})
LOOKING = ("run.text", {"text": "Let me look. "})
TOOL = ("run.tool_started", {"name": "look"}), ("run.tool_finished", {"name": "look", "ok": True})
BEGUN = ("run.text", {"text": "Beavers "})
WHOLE = ("run.text", {"text": ANSWER})
ANSWERED: Told = ("run.answered", {})
ENDED: Told = ("run.ended", {"status": "completed", "stop_reason": "stop", "error": None})


@pytest.fixture(autouse=True)
def nothing_more_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "REST_WITHIN_MS", 0)


async def completed(database: Database, told: Sequence[Told]) -> None:
    """A completed run, of whose stream so much was written."""
    sessions = SessionStore(database.dialect)
    async with database.write() as tx:
        await sessions.ensure_session(tx, "s")
        await sessions.start_run(tx, "r", "s", fence=1, provider=None, model=None)
        events = [StreamEvent(number, kind, payload) for number, (kind, payload) in enumerate(told, 1)]
        await RunEventStore(database.dialect).append(tx, {"r": events})
        await sessions.append(tx, "s", "r", NewEvent(MESSAGE, ANSWER, "assistant"))
        await sessions.end_run(tx, "r", "completed", stop_reason="stop")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ((), ANSWER),
        ((STARTED,), ANSWER),
        ((STARTED, BEGUN), ANSWER),
        ((STARTED, WHOLE, ANSWERED), ANSWER),
        ((STARTED, BEGUN, ANSWERED), ANSWER),
        ((STARTED, WHOLE, ANSWERED, ENDED), ANSWER),
        ((STARTED, LOOKING, *TOOL, BEGUN), f"Let me look. {ANSWER}"),
        ((STARTED, LOOKING), f"Let me look. {ANSWER}"),
    ],
)
async def test_a_listener_hears_the_whole_answer_once(database: Database, told: Sequence[Told], said: str) -> None:
    await completed(database, told)
    run = StoredRun(StoredRuns(database), "r", "s")
    heard = [event async for event in run.follow()]
    assert "".join(event.text for event in heard if isinstance(event, TextDelta)) == said
    assert (await run.result()).text == ANSWER


async def test_a_look_is_one_transaction(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    await completed(database, (STARTED, WHOLE, ANSWERED, ENDED))
    read, looks = database.read, 0

    def counted() -> AbstractAsyncContextManager[Transaction]:
        nonlocal looks
        looks += 1
        return read()

    monkeypatch.setattr(database, "read", counted)
    assert [event.kind async for event in StoredRuns(database).follow("r") if event][-1] == "run.ended"
    assert looks == 1
