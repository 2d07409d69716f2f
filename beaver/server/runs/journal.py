"""Writes what the runs of this process tell into the session store, behind their backs, for listeners at other servers.

One task writes for all runs, at most every 100 ms, in one transaction: a run and its listeners here never wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any, Final, assert_never

from beaver.agent.messages import TextDelta
from beaver.agent.results import Answered, RunEvent, RunStarted, ToolFinished, ToolStarted
from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.logs import get_logger
from beaver.sessions.run_events import RunEventStore, StreamEvent
from beaver.sessions.store import SessionStore

STARTED: Final = "run.started"
TEXT: Final = "run.text"
TOOL_STARTED: Final = "run.tool_started"
TOOL_FINISHED: Final = "run.tool_finished"
ANSWERED: Final = "run.answered"
ENDED: Final = "run.ended"

WRITE_EVERY_S: Final = 0.1
WRITTEN_WITHIN_S: Final = 5.0
TEXT_CHARS_MAX: Final = 4000


@dataclass
class _Stream:
    """What is still to be written of one run. One that was refused belongs to another process now."""

    seq: int = 0
    pending: list[StreamEvent] = field(default_factory=list)
    refused: bool = False
    written: asyncio.Event = field(default_factory=asyncio.Event)


class RunJournal:
    """The writer of one process. Owns its task: `aclose` before the database is closed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._store = RunEventStore(database.dialect)
        self._sessions = SessionStore(database.dialect)
        self._streams: dict[str, _Stream] = {}
        self._news = asyncio.Event()
        self._hurry = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def tell(self, run_id: str, event: RunEvent) -> None:
        """Note an event of a run; returns at once. The answer's text is not kept twice: it is a message of the session."""
        match event:
            case RunStarted():
                self._note(run_id, STARTED, {"run_id": run_id, "session_id": event.session_id})
            case TextDelta():
                self._note(run_id, TEXT, {"text": event.text})
            case ToolStarted():
                self._note(run_id, TOOL_STARTED, {"name": event.name})
            case ToolFinished():
                self._note(run_id, TOOL_FINISHED, {"name": event.name, "ok": event.ok})
            case Answered():
                self._note(run_id, ANSWERED, {})
            case _:
                assert_never(event)

    async def end(self, run_id: str, ending: Mapping[str, Any]) -> None:
        """Note the end and wait until all of the run is written, but no longer than 5 s."""
        self._note(run_id, ENDED, ending)
        stream = self._streams[run_id]
        self._hurry.set()
        try:
            async with asyncio.timeout(WRITTEN_WITHIN_S):
                await stream.written.wait()
        except TimeoutError:
            get_logger().warning("run.stream_not_stored", run_id=run_id)
        finally:
            self._streams.pop(run_id, None)

    async def refuse(self, run_id: str, ending: Mapping[str, Any]) -> None:
        """End a queued run that never began; the reaper does it where this cannot be stored."""
        try:
            async with self._database.write() as tx:
                await self._sessions.end_run(
                    tx, run_id, ending["status"], stop_reason=ending["stop_reason"], error_code=ending["error"]
                )
        except Unavailable:
            get_logger().warning("run.end_not_stored", run_id=run_id)

    async def aclose(self) -> None:
        """End the task; idempotent. The runs must have ended."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def _note(self, run_id: str, kind: str, payload: Mapping[str, Any]) -> None:
        stream = self._streams.setdefault(run_id, _Stream())
        last = stream.pending[-1] if stream.pending else None
        if kind == TEXT and last and last.kind == TEXT and len(last.payload["text"]) < TEXT_CHARS_MAX:
            stream.pending[-1] = StreamEvent(last.seq, TEXT, {"text": last.payload["text"] + payload["text"]})
        else:
            stream.seq += 1
            stream.pending.append(StreamEvent(stream.seq, kind, payload))
        stream.written.clear()
        self._news.set()
        if self._task is None or self._task.done():
            # It writes for all runs: its log lines must not have the request id of the run that came first.
            self._task = asyncio.create_task(self._write_on(), context=Context())

    async def _write_on(self) -> None:
        while True:
            await self._news.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(WRITE_EVERY_S):
                    await self._hurry.wait()
            self._news.clear()
            self._hurry.clear()
            await self._write()

    async def _write(self) -> None:
        batch = {run_id: stream.pending for run_id, stream in sorted(self._streams.items()) if stream.pending}
        for run_id in batch:
            self._streams[run_id].pending = []
        try:
            refused = await self._stored(batch)
        except Unavailable:
            get_logger().warning("run.streams_delayed", count=len(batch))
            for run_id, events in batch.items():
                if stream := self._streams.get(run_id):
                    stream.pending = events + stream.pending
            self._news.set()
            return
        for run_id in batch:
            if stream := self._streams.get(run_id):
                self._settle(stream, refused=run_id in refused)

    async def _stored(self, batch: Mapping[str, list[StreamEvent]]) -> set[str]:
        """Write a batch; returns the runs that are not ours any more."""
        refused = {run_id for run_id in batch if (known := self._streams.get(run_id)) and known.refused}
        ours = {run_id: events for run_id, events in batch.items() if run_id not in refused}
        async with self._database.write() as tx:
            return refused | await self._store.append(tx, ours)

    def _settle(self, stream: _Stream, *, refused: bool) -> None:
        stream.refused = refused
        if not stream.pending:
            stream.written.set()
