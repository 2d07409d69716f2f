"""Runs as the session store knows them: any server can follow one, from any point, wherever it is worked on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any, Final, get_args

from beaver.agent.messages import TextDelta, Usage
from beaver.agent.results import AgentRunResult, Answered, RunEvent, RunStarted, StopReason, ToolFinished, ToolStarted
from beaver.db.engine import Database
from beaver.errors import NotFound, Unavailable
from beaver.server.runs.journal import ANSWERED, ENDED, STARTED, TEXT, TOOL_FINISHED, TOOL_STARTED
from beaver.server.runs.registry import Run
from beaver.sessions.records import CRASHED, SUPERSEDED, UNFINISHED, RunRecord
from beaver.sessions.run_events import RunEventStore, StreamEvent
from beaver.sessions.run_messages import run_messages
from beaver.sessions.run_queue import RunQueueStore
from beaver.sessions.store import SessionStore

POLL_S: Final = (0.05, 0.25)
# What a run's process has, after the run's end, to write the rest of its stream.
REST_WITHIN_MS: Final = 2000
_PAGE: Final = 500


@dataclass(frozen=True)
class RunState:
    """A run's row, its answer (None before it has one), and for how many milliseconds it has ended."""

    record: RunRecord
    answer: str | None
    ended_for_ms: int


class StoredRuns:
    """Reads and stops runs of all servers. Stateless: share it between tasks."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sessions = SessionStore(database.dialect)
        self._queue = RunQueueStore(database.dialect)
        self._events = RunEventStore(database.dialect)

    async def get(self, run_id: str) -> RunState:
        """The run. Raises NotFound."""
        async with self._database.read() as tx:
            record = await self._sessions.find_run(tx, run_id)
            if record is None:
                raise NotFound("there is no such run")
            if record.status in UNFINISHED:
                return RunState(record, None, 0)
            said = await run_messages(tx, run_id) if record.status == "completed" else []
            ended_for_ms = await self._events.age_ms(tx, record.ended_ms or 0)
        answer = said[-1].content if said and said[-1].role == "assistant" else None
        return RunState(record, answer, ended_for_ms)

    async def request_stop(self, run_id: str) -> bool:
        """Ask the run's process to stop it; False when it has ended. Raises NotFound."""
        async with self._database.write() as tx:
            if await self._queue.request_stop(tx, run_id):
                return True
        await self.get(run_id)
        return False

    async def follow(
        self, run_id: str, *, after: int = 0, idle_s: float | None = None
    ) -> AsyncIterator[StreamEvent | None]:
        """The stream from `after` (exclusive) to its end; None each time that nothing has happened for `idle_s`.

        Of a run that crashed, or whose stream was pruned, the end is put together from what the session store holds.
        Raises NotFound, also when the run is deleted meanwhile.
        """
        heard_at, delay_s = time.monotonic(), POLL_S[0]
        while True:
            state = await self.get(run_id)
            async with self._database.read() as tx:
                found = await self._events.after(tx, run_id, after, limit=_PAGE)
            for event in found:
                yield _with_answer(event, state)
                after = event.seq
                if event.kind == ENDED:
                    return
            if not found and _is_all_there_will_be(state):
                for event in _end(state, after):
                    yield event
                return
            if found:
                heard_at, delay_s = time.monotonic(), POLL_S[0]
            elif idle_s is not None and time.monotonic() - heard_at >= idle_s:
                heard_at = time.monotonic()
                yield None
            await asyncio.sleep(delay_s)
            delay_s = min(delay_s * 1.5, POLL_S[1])


class StoredRun:
    """A run at another server, with the face of one of this process."""

    def __init__(self, runs: StoredRuns, run_id: str, session_id: str) -> None:
        self.run_id: str | None = run_id
        self.known_id: str | None = run_id
        self.session_id: str | None = session_id
        self._runs = runs
        self._id = run_id

    async def follow(self, *, idle_s: float | None = None) -> AsyncIterator[RunEvent | None]:
        """Every event until the run has ended; None each time that nothing has happened for `idle_s`."""
        told = False
        async for event in self._runs.follow(self._id, idle_s=idle_s):
            if event is None:
                yield None
                continue
            told = told or event.kind == TEXT
            if event.kind == ANSWERED and not told and event.payload.get("text"):
                yield TextDelta(event.payload["text"])
            heard = _heard(event, self._id)
            if heard is not None:
                yield heard

    async def begun(self, *, within_s: float) -> None:
        """Wait for the first event, but no longer than the bound."""
        async for _ in self.follow(idle_s=within_s):
            return

    async def result(self) -> AgentRunResult:
        """What the run came to. Raises Unavailable when it was stopped."""
        async for _ in self._runs.follow(self._id):
            pass
        state = await self._runs.get(self._id)
        if state.record.status == "cancelled":
            raise Unavailable("the run was stopped")
        return _result(state)

    def stop(self) -> None:
        """Nothing: one of several listeners has gone, and the run is not this process's to end."""


AnyRun = Run | StoredRun
"""A run of this process, or of another."""


def _with_answer(event: StreamEvent, state: RunState) -> StreamEvent:
    return replace(event, payload={"text": state.answer or ""}) if event.kind == ANSWERED else event


def _is_all_there_will_be(state: RunState) -> bool:
    if state.record.status in UNFINISHED:
        return False
    return state.record.error_code in (CRASHED, SUPERSEDED) or state.ended_for_ms >= REST_WITHIN_MS


def _end(state: RunState, after: int) -> list[StreamEvent]:
    record = state.record
    answered = [] if state.answer is None else [StreamEvent(after + 1, ANSWERED, {"text": state.answer})]
    ending = {"status": record.status, "stop_reason": record.stop_reason, "error": record.error_code}
    return [*answered, StreamEvent(after + len(answered) + 1, ENDED, ending)]


def _heard(event: StreamEvent, run_id: str) -> RunEvent | None:
    payload = event.payload
    makers: dict[str, Callable[[], RunEvent]] = {
        STARTED: lambda: RunStarted(run_id, payload["session_id"]),
        TEXT: lambda: TextDelta(payload["text"]),
        TOOL_STARTED: lambda: ToolStarted(payload["name"]),
        TOOL_FINISHED: lambda: ToolFinished(payload["name"], payload["ok"]),
        ANSWERED: lambda: Answered(payload["text"]),
    }
    return makers[event.kind]() if event.kind in makers else None


def _result(state: RunState) -> AgentRunResult:
    record = state.record
    failed = record.status != "completed"
    return AgentRunResult(
        run_id=record.id,
        session_id=record.session_id,
        text=f"I could not finish this answer: {record.error_code}." if failed else state.answer or "",
        messages=(),
        tools_used=record.tools_used,
        usage=_usage(record.usage),
        stop_reason=_stop_reason(record.stop_reason),
        error=_error(record.error_code) if failed else None,
    )


def _usage(stored: Any) -> Usage:
    return Usage(**stored) if stored else Usage()


def _stop_reason(stored: str | None) -> StopReason:
    known: dict[str, StopReason] = {reason: reason for reason in get_args(StopReason)}
    return known.get(stored or "", "error")


def _error(code: str | None) -> str:
    return "unavailable" if code in (None, CRASHED, SUPERSEDED) else str(code)
