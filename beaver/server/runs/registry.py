"""Runs that outlive the connections that asked for them: each is a task of its own, and listeners subscribe to it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import replace
from typing import Any, Final, Protocol

from beaver.agent.results import AgentRunResult, Answered, Emit, RunEvent, RunRequest, RunStarted
from beaver.config.settings import ServerSettings
from beaver.errors import BeaverError, LimitExceeded, Unavailable
from beaver.logs import get_logger
from beaver.server.runs.journal import RunJournal
from beaver.server.telemetry.counting import uncounted
from beaver.sessions.holding import LeasePolicy

RUNS_MAX: Final = ServerSettings().runs_max
DRAIN_S: Final = ServerSettings().drain_seconds
WAITING_MAX: Final = 20
"""Messages of one session that may wait for its turn in one process: else all of the process's runs could be theirs."""


class RunsPrompts(Protocol):
    """What a run needs of an engine."""

    async def run(self, request: RunRequest, emit: Emit) -> AgentRunResult:
        """Answer one prompt."""


class Engine(RunsPrompts, Protocol):
    """What the server needs of one: an AgentLoop, whose methods say what may be raised."""

    def check(self, request: RunRequest) -> None:
        """Refuse what it would never run."""


def _nobody(_event: RunEvent) -> None:
    """For runs that are told to their listeners here alone."""


class Run:
    """One run under way, or just ended. Any number of listeners may follow it, each from its first event on."""

    def __init__(self, loop: RunsPrompts, request: RunRequest, note: Callable[[RunEvent], None] = _nobody) -> None:
        """`note` is told of each event as it happens; it must return at once."""
        self.run_id: str | None = None
        self.request = request
        self.session_id = request.session_id
        self._note = note
        self._events: list[RunEvent] = []
        self._answered = False
        self._ended = False
        self._news = asyncio.Event()
        self.task = asyncio.create_task(self._work(loop, request))

    @property
    def known_id(self) -> str | None:
        """The run's id where the session store knows it: from its queueing or from its start on."""
        return self.run_id or self.request.run_id

    async def follow(self, *, idle_s: float | None = None) -> AsyncIterator[RunEvent | None]:
        """Every event until the run has ended; None each time that nothing has happened for `idle_s`."""
        seen = 0
        while True:
            while seen < len(self._events):
                yield self._events[seen]
                seen += 1
            if self._ended:
                return
            try:
                async with asyncio.timeout(idle_s):
                    await self._news.wait()
            except TimeoutError:
                yield None

    async def begun(self, *, within_s: float) -> None:
        """Wait for the first event, but no longer than the bound. Raises what ended the run before it began."""
        async for _ in self.follow(idle_s=within_s):
            return
        await self.result()

    async def result(self) -> AgentRunResult:
        """What the run came to. Raises what it raised, and Unavailable when it was stopped."""
        await asyncio.wait({self.task})
        if self.task.cancelled():
            raise Unavailable("the run was stopped")
        return self.task.result()

    def stop(self) -> None:
        """Cancel the run; it closes its open ends by itself. Nothing once its answer is committed."""
        if not self._answered:
            self.task.cancel()

    async def _work(self, loop: RunsPrompts, request: RunRequest) -> AgentRunResult:
        try:
            return await loop.run(request, self._tell)
        finally:
            self._ended = True
            self._wake()

    async def _tell(self, event: RunEvent) -> None:
        if isinstance(event, RunStarted):
            self.run_id = event.run_id
            self.session_id = event.session_id
        self._answered = self._answered or isinstance(event, Answered)
        self._events.append(event)
        self._wake()
        self._note(event)

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


class RunRegistry:
    """The runs of this process. Owns their tasks: `drain` before the engine is closed."""

    def __init__(
        self,
        loop: Engine,
        *,
        journal: RunJournal | None = None,
        runs_max: int = RUNS_MAX,
        drain_s: float = DRAIN_S,
        busy_policy: LeasePolicy = "enqueue",
        refused: Callable[[str], None] = uncounted,
    ) -> None:
        """`journal` keeps the runs' streams for other servers; without it they are told here alone.

        `refused` is told why, by the error's code, when `check` lets no run begin.
        """
        self._loop = loop
        self._journal = journal
        self._runs_max = runs_max
        self._drain_s = drain_s
        self._busy_policy = busy_policy
        self._refused = refused
        self._runs: set[Run] = set()
        self._closing: set[asyncio.Task[None]] = set()
        self._drain_until: float | None = None

    def start(self, request: RunRequest, *, run_id: str | None = None) -> Run:
        """Begin a run; `run_id` is that of a queued one, which is begun in any case: every server waits for it by now.

        Raises what `check` raises for any other; who queues one asks that before.
        """
        if run_id is None:
            self.check(session_id=request.session_id)
        wanted = replace(request, run_id=run_id or request.run_id, on_busy=self._busy_policy)
        run = Run(self._loop, wanted, lambda event: self._note(run, event))
        self._runs.add(run)
        run.task.add_done_callback(lambda task: self._ended(run, task))
        return run

    def check(self, wanted: RunRequest | None = None, *, session_id: str | None = None) -> None:
        """Raise Unavailable while draining, LimitExceeded at the bound on concurrent runs and at that on those of a session;
        of what is wanted, what its run would raise: to be asked before anything is stored for it.
        """
        try:
            self._check_room()
            self._check_waiting(session_id)
            if wanted is not None:
                self._loop.check(wanted)
        except BeaverError as refusal:
            self._refused(refusal.code)
            raise

    def _check_room(self) -> None:
        if self.draining:
            raise Unavailable("the chat server is shutting down; send the message again in a moment")
        if len(self._runs) >= self._runs_max:
            raise LimitExceeded(f"{self._runs_max} runs are under way, which is the most; try again in a moment")

    def _check_waiting(self, session_id: str | None) -> None:
        here = sum(run.session_id == session_id for run in self._runs) if session_id is not None else 0
        if here > WAITING_MAX:
            raise LimitExceeded(
                f"{WAITING_MAX} messages wait for their turn in this session, which is the most; try again in a moment"
            )

    def find(self, run_id: str) -> Run | None:
        """A run that is under way in this process, or None."""
        return next((run for run in self._runs if run.known_id == run_id), None)

    def known_ids(self) -> Collection[str]:
        """Ids of the runs under way here that the session store knows of."""
        return [run_id for run in self._runs if (run_id := run.known_id)]

    @property
    def under_way(self) -> int:
        """How many runs are under way in this process, those that wait for their session too."""
        return len(self._runs)

    @property
    def draining(self) -> bool:
        """Whether new runs are refused."""
        return self._drain_until is not None

    def begin_drain(self) -> float:
        """Refuse new runs from now on; returns until when (monotonic) those under way may go on: the first call counts."""
        if self._drain_until is None:
            self._drain_until = time.monotonic() + self._drain_s
        return self._drain_until

    async def drain(self) -> None:
        """Begin the drain, wait for the runs under way, cancel what passes the bound; then see their streams stored."""
        until = self.begin_drain()
        if tasks := {run.task for run in self._runs}:
            _, late = await asyncio.wait(tasks, timeout=max(0.0, until - time.monotonic()))
            for task in late:
                task.cancel()
            if late:
                get_logger().warning("server.runs_cut_off", count=len(late))
                await asyncio.wait(late)
        # The callbacks of the tasks that have just ended come first.
        await asyncio.sleep(0)
        if self._closing:
            await asyncio.wait(self._closing)
        if self._journal is not None:
            await self._journal.aclose()

    def _note(self, run: Run, event: RunEvent) -> None:
        if self._journal is not None and run.run_id is not None:
            self._journal.tell(run.run_id, event)

    def _ended(self, run: Run, task: asyncio.Task[AgentRunResult]) -> None:
        self._runs.discard(run)
        error = None if task.cancelled() else task.exception()
        # Asked for here too, since nobody may be listening any more.
        if isinstance(error, BeaverError):
            get_logger().info("run.refused", code=error.code)
        elif error is not None:
            get_logger().error("run.crashed", run_id=run.run_id, exc_info=error)
        if self._journal is not None:
            closing = asyncio.create_task(self._close(self._journal, run, task))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def _close(self, journal: RunJournal, run: Run, task: asyncio.Task[AgentRunResult]) -> None:
        """Store the end of the run's stream, and of a queued run that never began."""
        ending = _ending(task)
        if run.run_id is not None:
            await journal.end(run.run_id, ending)
        elif run.request.run_id is not None:
            await journal.refuse(run.request.run_id, ending)


def _ending(task: asyncio.Task[AgentRunResult]) -> dict[str, Any]:
    if task.cancelled():
        return {"status": "cancelled", "stop_reason": "interrupted", "error": None}
    error = task.exception()
    if error is not None:
        code = error.code if isinstance(error, BeaverError) else "internal"
        return {"status": "failed", "stop_reason": "error", "error": code}
    result = task.result()
    status = "completed" if result.error is None else "failed"
    return {"status": status, "stop_reason": result.stop_reason, "error": result.error}
