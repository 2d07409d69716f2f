"""Runs as the session store knows them: any server can follow one, from any point, wherever it is worked on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Final

from beaver.db.engine import Database, Transaction
from beaver.errors import NotFound
from beaver.server.runs.journal import ANSWERED, ENDED
from beaver.sessions.records import CRASHED, SUPERSEDED, UNFINISHED, RunRecord
from beaver.sessions.run_events import RunEventStore, StreamEvent
from beaver.sessions.run_messages import run_messages
from beaver.sessions.run_queue import RunQueueStore
from beaver.sessions.store import SessionStore

POLL_S: Final = (0.05, 1.0)
# After a silence the next look waits for this part of it: what comes then is told late by no more than that.
POLL_OF_SILENCE: Final = 0.05
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
            return await self._state(tx, run_id)

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
        heard_at = told_at = time.monotonic()
        while True:
            found, state = await self._look(run_id, after)
            for event in found:
                yield _with_answer(event, state)
                after = event.seq
                if event.kind == ENDED:
                    return
            if not found and _is_all_there_will_be(state):
                for event in _end(state, after):
                    yield event
                return
            now = time.monotonic()
            if found:
                heard_at = told_at = now
            elif idle_s is not None and now - told_at >= idle_s:
                told_at = now
                yield None
            await asyncio.sleep(_pause_s(now - heard_at))

    async def _look(self, run_id: str, after: int) -> tuple[list[StreamEvent], RunState]:
        # The stream before the run: an answer that is told of is stored by then.
        async with self._database.read() as tx:
            found = await self._events.after(tx, run_id, after, limit=_PAGE)
            return found, await self._state(tx, run_id)

    async def _state(self, tx: Transaction, run_id: str) -> RunState:
        record = await self._sessions.find_run(tx, run_id)
        if record is None:
            raise NotFound("there is no such run")
        if record.status in UNFINISHED:
            return RunState(record, None, 0)
        said = await run_messages(tx, run_id) if record.status == "completed" else []
        answer = said[-1].content if said and said[-1].role == "assistant" else None
        return RunState(record, answer, await self._events.age_ms(tx, record.ended_ms or 0))


def _pause_s(silence_s: float) -> float:
    return min(max(silence_s * POLL_OF_SILENCE, POLL_S[0]), POLL_S[1])


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
