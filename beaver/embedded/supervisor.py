"""Child processes that are kept alive: started, probed, restarted when they die, drained in reverse order."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Final, Literal

from beaver.embedded import launch
from beaver.embedded.logfiles import bound_log, cut_log, last_words, log_path, log_size, open_log
from beaver.errors import DeadlineExceeded

PartState = Literal["starting", "ready", "restarting", "stopping", "stopped"]


@dataclass(frozen=True)
class Life:
    """One life of a part: its log, and how many bytes of it are older than this life."""

    log: Path
    log_offset: int


Probe = Callable[[Life], Awaitable[bool]]
"""Tells whether the part serves. Bounded; never raises."""


@dataclass(frozen=True)
class Part:
    """A process to keep. `address` is for people to read.

    `start_over` makes room for a part that does not even start over what it finds of its own, and says in words what it did.
    """

    name: str
    command: tuple[str, ...]
    probe: Probe
    address: str = ""
    stop_within_s: float = 10.0
    start_over: Callable[[], str] | None = None


@dataclass(frozen=True)
class PartStatus:
    """Where a part stands. `detail` says in plain words what went wrong last, if anything did."""

    name: str
    state: PartState
    address: str
    pid: int | None = None
    restarts: int = 0
    detail: str = ""


@dataclass(frozen=True)
class Patience:
    """The supervisor's times, in seconds. A part that lived for `stable_s` has its backoff forgotten."""

    probe_every_s: float = 0.03
    backoff_first_s: float = 0.2
    backoff_most_s: float = 10.0
    stable_s: float = 30.0
    log_looked_at_every_s: float = 30.0


FAILED_STARTS: Final = 2
"""So many lives in a row without ever serving are enough to start a part over."""


OnChange = Callable[[PartStatus], None]


class Supervisor:
    """Owns its children: `async with Supervisor(…) as parts`; leaving the block drains them all.

    Children have a session of their own, so that the terminal's Ctrl-C reaches the supervisor alone, and they end when
    the supervisor is killed (`launch.py`). Their output goes to `<logs>/<part>.log`.
    """

    def __init__(
        self, logs: Path, environment: Mapping[str, str], on_change: OnChange, patience: Patience | None = None
    ) -> None:
        self._logs = logs
        self._environment = dict(environment)
        self._on_change = on_change
        self._patience = patience or Patience()
        self._keepers: dict[str, _Keeper] = {}

    async def __aenter__(self) -> Supervisor:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def statuses(self) -> list[PartStatus]:
        """Every part's status, in the order of their starts."""
        return [keeper.status for keeper in self._keepers.values()]

    def start(self, part: Part) -> None:
        """Begin to keep a part; returns at once."""
        log = log_path(self._logs, part.name)
        bound_log(log)
        self._keepers[part.name] = _Keeper(part, log, self._environment, self._on_change, self._patience)

    async def wait_ready(self, *names: str, within_s: float | None) -> None:
        """Wait until the named parts (all, when none is named) serve, all of them at once; for ever with None.

        Raises DeadlineExceeded naming one that does not.
        """
        keepers = [self._keepers[name] for name in names] or list(self._keepers.values())
        try:
            async with asyncio.timeout(within_s):
                while late := [keeper for keeper in keepers if not keeper.ready.is_set()]:
                    await late[0].ready.wait()
        except TimeoutError:
            raise DeadlineExceeded(
                f"{late[0].part.name} did not become ready within {within_s:g} s; its log is {late[0].log}"
            ) from None

    async def stop(self) -> None:
        """Drain in reverse order of the starts: SIGTERM, a bounded wait, SIGKILL. Idempotent."""
        for keeper in reversed(self._keepers.values()):
            await keeper.stop()

    def hurry(self) -> None:
        """Kill what is still running: for a person who does not want to wait for the drain."""
        for keeper in self._keepers.values():
            keeper.signal(signal.SIGKILL)


class _Keeper:
    """Keeps one part alive until it is stopped."""

    def __init__(
        self, part: Part, log: Path, environment: Mapping[str, str], on_change: OnChange, patience: Patience
    ) -> None:
        self.part = part
        self.log = log
        self.ready = asyncio.Event()
        self.status = PartStatus(part.name, "starting", part.address)
        self._environment = environment
        self._on_change = on_change
        self._patience = patience
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = False
        self._failed_starts = 0
        self._task = asyncio.create_task(self._keep(), name=f"keep {part.name}")

    async def _keep(self) -> None:
        backoff_s = self._patience.backoff_first_s
        while True:
            born = time.monotonic()
            ending = await self._live()
            if self._stopping:
                return
            if time.monotonic() - born >= self._patience.stable_s:
                backoff_s = self._patience.backoff_first_s
            again = f"{ending}{self._started_over()}; starts again in {backoff_s:g} s; see {self.log}"
            self._say(state="restarting", pid=None, restarts=self.status.restarts + 1, detail=again)
            await asyncio.sleep(backoff_s)
            backoff_s = min(2 * backoff_s, self._patience.backoff_most_s)

    async def _live(self) -> str:
        """One life of the part, from its birth to its end; returns how it ended, in words."""
        life = Life(self.log, log_size(self.log))
        try:
            self._process = process = await self._spawn()
        except OSError as error:
            # No memory, no process, no file to be had: that may pass.
            return f"could not be started ({type(error).__name__})"
        self._failed_starts += 1
        self._say(state="starting", pid=process.pid)
        watching = asyncio.create_task(self._watch(life))
        try:
            return _ending(await process.wait(), last_words(life.log, life.log_offset))
        finally:
            self.ready.clear()
            watching.cancel()

    async def _spawn(self) -> asyncio.subprocess.Process:
        log = open_log(self.log)
        try:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", launch.__file__, str(os.getpid()), *self.part.command),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
                start_new_session=True,
            )
        finally:
            os.close(log)

    async def _watch(self, life: Life) -> None:
        """Tell when the part serves, and from then on keep its log within its bound: before that the log is read."""
        await self._probe(life)
        while True:
            await asyncio.sleep(self._patience.log_looked_at_every_s)
            with suppress(OSError):  # of a disk that is full, or a log that somebody moved, the next look may find more
                await asyncio.to_thread(cut_log, self.log)

    async def _probe(self, life: Life) -> None:
        while not await self.part.probe(life):  # noqa: ASYNC110 - the world outside sets no event
            await asyncio.sleep(self._patience.probe_every_s)
        self._failed_starts = 0
        self.ready.set()
        self._say(state="ready", detail="")

    def _started_over(self) -> str:
        """Where the part does not start, what was done about it, as words to go on with; else nothing."""
        if self.part.start_over is None or self._failed_starts < FAILED_STARTS:
            return ""
        self._failed_starts = 0
        try:
            return f"; {self.part.start_over()}"
        except OSError as error:
            return f"; what it finds of its own could not be set aside ({type(error).__name__})"

    async def stop(self) -> None:
        """SIGTERM, a bounded wait, SIGKILL to the whole session."""
        if self._stopping:
            return
        self._stopping = True
        detail = ""
        if self._process is not None and self._process.returncode is None:
            self._say(state="stopping")
            self.signal(signal.SIGTERM)
            detail = await self._end_of(self._process)
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self._say(state="stopped", pid=None, detail=detail)

    async def _end_of(self, process: asyncio.subprocess.Process) -> str:
        try:
            async with asyncio.timeout(self.part.stop_within_s):
                await process.wait()
        except TimeoutError:
            self.signal(signal.SIGKILL)
            await process.wait()
            return f"did not stop within {self.part.stop_within_s:g} s and was killed"
        return ""

    def signal(self, number: signal.Signals) -> None:
        """SIGTERM goes to the part, which knows how to drain; SIGKILL to its whole session."""
        if self._process is None or self._process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            if number is signal.SIGKILL:
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)

    def _say(self, **changes: object) -> None:
        self.status = replace(self.status, **changes)  # type: ignore[arg-type]
        self._on_change(self.status)


def _ending(code: int, words: str) -> str:
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}: {words}" if words else f"ended with exit code {code}"
