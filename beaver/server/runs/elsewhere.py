"""A run at another server, told from the session store, with the face of one of this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, get_args

from beaver.agent.messages import TextDelta, Usage
from beaver.agent.results import AgentRunResult, Answered, RunEvent, RunStarted, StopReason, ToolFinished, ToolStarted
from beaver.errors import Unavailable
from beaver.server.runs import journal
from beaver.server.runs.registry import Run
from beaver.server.runs.stored import RunState, StoredRuns
from beaver.sessions.records import CRASHED, SUPERSEDED
from beaver.sessions.run_events import StreamEvent


class StoredRun:
    """A run at another server, with the face of one of this process."""

    task: None = None
    """Its task is there."""

    def __init__(self, runs: StoredRuns, run_id: str, session_id: str) -> None:
        self.run_id: str | None = run_id
        self.known_id: str | None = run_id
        self.session_id: str | None = session_id
        self._runs = runs
        self._id = run_id

    async def follow(self, *, idle_s: float | None = None) -> AsyncIterator[RunEvent | None]:
        """Every event until the run has ended; None each time that nothing has happened for `idle_s`."""
        said = ""
        async for event in self._runs.follow(self._id, idle_s=idle_s):
            if event is None:
                yield None
                continue
            if event.kind == journal.ANSWERED and (unsaid := _unsaid(said, event.payload["text"])):
                yield TextDelta(unsaid)
            said = _said(said, event)
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


def _said(said: str, event: StreamEvent) -> str:
    """What the message under way says so far; the use of a tool ends one."""
    match event.kind:
        case journal.TOOL_STARTED:
            return ""
        case journal.ANSWERED:
            return str(event.payload["text"])
        case journal.TEXT:
            return said + str(event.payload["text"])
        case _:
            return said


def _unsaid(said: str, answer: str) -> str:
    """The rest of an answer whose last pieces were never stored: its server died after the commit."""
    return answer.removeprefix(said) if answer.startswith(said) else answer


def _heard(event: StreamEvent, run_id: str) -> RunEvent | None:
    payload = event.payload
    makers: dict[str, Callable[[], RunEvent]] = {
        journal.STARTED: lambda: RunStarted(run_id, payload["session_id"]),
        journal.TEXT: lambda: TextDelta(payload["text"]),
        journal.TOOL_STARTED: lambda: ToolStarted(payload["name"]),
        journal.TOOL_FINISHED: lambda: ToolFinished(payload["name"], payload["ok"]),
        journal.ANSWERED: lambda: Answered(payload["text"]),
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
        provider=record.provider,
    )


def _usage(stored: Any) -> Usage:
    return Usage(**stored) if stored else Usage()


def _stop_reason(stored: str | None) -> StopReason:
    known: dict[str, StopReason] = {reason: reason for reason in get_args(StopReason)}
    return known.get(stored or "", "error")


def _error(code: str | None) -> str:
    return "unavailable" if code in (None, CRASHED, SUPERSEDED) else str(code)
