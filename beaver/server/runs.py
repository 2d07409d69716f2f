"""Runs that outlive the connections that asked for them: each is a task of its own, and listeners subscribe to it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Final, Protocol

from beaver.agent.results import AgentRunResult, Emit, RunEvent, RunRequest, RunStarted
from beaver.errors import BeaverError, LimitExceeded, NotFound, Unavailable
from beaver.logs import get_logger

RUNS_MAX: Final = 100
DRAIN_S: Final = 30.0


class RunsPrompts(Protocol):
    """What the server needs of an engine: an AgentLoop, whose `run` says what may be raised."""

    async def run(self, request: RunRequest, emit: Emit) -> AgentRunResult:
        """Answer one prompt."""


class Run:
    """One run under way, or just ended. Any number of listeners may follow it, each from its first event on."""

    def __init__(self, loop: RunsPrompts, request: RunRequest) -> None:
        self.run_id: str | None = None
        self._events: list[RunEvent] = []
        self._ended = False
        self._news = asyncio.Event()
        self.task = asyncio.create_task(self._work(loop, request))

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
                await asyncio.wait_for(self._news.wait(), idle_s)
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
        """Cancel the run; it closes its open ends by itself."""
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
        self._events.append(event)
        self._wake()

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


class RunRegistry:
    """The runs of this process. Owns their tasks: `drain` before the engine is closed."""

    def __init__(self, loop: RunsPrompts, *, runs_max: int = RUNS_MAX, drain_s: float = DRAIN_S) -> None:
        self._loop = loop
        self._runs_max = runs_max
        self._drain_s = drain_s
        self._runs: set[Run] = set()
        self._drain_until: float | None = None

    def start(self, request: RunRequest) -> Run:
        """Begin a run. Raises Unavailable while draining, LimitExceeded at the bound on concurrent runs."""
        if self.draining:
            raise Unavailable("the chat server is shutting down; send the message again in a moment")
        if len(self._runs) >= self._runs_max:
            raise LimitExceeded(f"{self._runs_max} runs are under way, which is the most; try again in a moment")
        run = Run(self._loop, request)
        self._runs.add(run)
        run.task.add_done_callback(lambda task: self._ended(run, task))
        return run

    def find(self, run_id: str) -> Run:
        """A run under way. Raises NotFound."""
        for run in self._runs:
            if run.run_id == run_id:
                return run
        raise NotFound("no such run is under way in this process")

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
        """Begin the drain, wait for the runs under way, cancel what passes the bound."""
        until = self.begin_drain()
        tasks = {run.task for run in self._runs}
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=max(0.0, until - time.monotonic()))
        for task in late:
            task.cancel()
        if late:
            get_logger().warning("server.runs_cut_off", count=len(late))
            await asyncio.wait(late)

    def _ended(self, run: Run, task: asyncio.Task[AgentRunResult]) -> None:
        self._runs.discard(run)
        error = None if task.cancelled() else task.exception()
        # Asked for here too, since nobody may be listening any more.
        if isinstance(error, BeaverError):
            get_logger().info("run.refused", code=error.code)
        elif error is not None:
            get_logger().error("run.crashed", run_id=run.run_id, exc_info=error)
