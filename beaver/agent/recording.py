"""Owns the transactions of a run: what is stored together, and that no cancellation cuts a write in half."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Final

from beaver.agent.interruption import whole
from beaver.agent.kept import KeptHistories
from beaver.agent.messages import PromptMessage, ToolCall, Usage
from beaver.agent.past import Past
from beaver.agent.results import StopReason
from beaver.agent.transcript import result_message, to_event
from beaver.db.engine import Database, Transaction
from beaver.errors import Conflict, Unavailable
from beaver.logs import get_logger
from beaver.outbox.store import OutboxStore
from beaver.outbox.turns import NewTurn
from beaver.sessions.history import INTERRUPTED
from beaver.sessions.holding import Entry, HeldLease, LeasePolicy, held_lease
from beaver.sessions.leases import Lease, LeaseLost, LeaseStore
from beaver.sessions.records import NewEvent, RunStatus
from beaver.sessions.run_again import AskedAgainStore
from beaver.sessions.store import SessionStore

AGAIN_AFTER_S: Final = (0.1, 0.3)


@dataclass
class Opening:
    """How a run is to begin, and how it began: nothing is told of its `past` where it was stopped before. `is_queued`: the
    session store knows it already."""

    run_id: str
    session_id: str
    prompt: PromptMessage
    provider: str
    model: str
    is_queued: bool = False
    past: Past | None = None
    user_event_id: int = 0


@dataclass
class RunKey:
    """Which run writes, under which lease, its newest event, and what its next write has to tell besides."""

    held: HeldLease
    last_event_id: int = 0
    untold: list[NewEvent] = field(default_factory=list)

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.held.lease.run_id

    @property
    def session_id(self) -> str:
        """Its session's."""
        return self.held.lease.session_id

    @property
    def fence(self) -> int:
        """The fence of its lease."""
        return self.held.lease.fence


@dataclass(frozen=True)
class Ending:
    """The final answer and what it took."""

    text: str
    stop_reason: StopReason
    usage: Usage
    tools_used: tuple[str, ...]


@dataclass(frozen=True)
class Owed:
    """What the Gateway's ledger is owed for a turn. `turn` makes the row from the answer's event id."""

    turn: Callable[[int], NewTurn]
    skip_reason: str | None


@dataclass(frozen=True)
class LeaseTerms:
    """How a run holds its session: `ttl_s` until others may take over, `wait_s` for those that queue behind.

    `again_s`: for how long a store that cannot take what the run has come to is asked again.
    """

    holder: str
    ttl_s: float = 30
    wait_s: float = 60
    again_s: float = 15


class RunRecorder:
    """One method a write. Each verifies the run's fence and raises LeaseLost without it; the last gives the session back.

    A cancellation that arrives during a write lets it end, for at most 5 seconds, and is then passed on. A store that cannot
    serve is asked again for a while: what a model has said must not be lost to a database that restarts.
    """

    def __init__(
        self, database: Database, sessions: SessionStore, outbox: OutboxStore, leases: LeaseStore, terms: LeaseTerms
    ) -> None:
        self._database = database
        self._sessions = sessions
        self._outbox = outbox
        self._leases = leases
        self._terms = terms
        self._asked_again = AskedAgainStore(database.dialect)
        self._kept = KeptHistories()

    @asynccontextmanager
    async def held(self, opening: Opening, policy: LeasePolicy) -> AsyncIterator[RunKey]:
        """Hold the session, made where it does not exist, for one run, whose beginning is written with the lease.

        Raises Conflict when the session cannot be had, NotFound when the run was queued and its session is deleted.
        """
        terms = self._terms
        async with held_lease(
            self._database,
            self._leases,
            opening.session_id,
            opening.run_id,
            terms.holder,
            ttl_s=terms.ttl_s,
            wait_s=terms.wait_s,
            policy=policy,
            entry=Entry(partial(self._begin, opening), self._undo),
        ) as held:
            yield RunKey(held, opening.user_event_id)

    async def history(self, opening: Opening, *, tokens_max: int) -> tuple[PromptMessage, ...]:
        """What was said before the run: all that a prompt of `tokens_max` can hold, and perhaps more.

        Raises Conflict for a queued run that was stopped before it began.
        """
        past = opening.past
        if past is None:
            raise Conflict("the run was stopped before it began")
        if not past.suffices(tokens_max):
            async with self._database.read() as tx:
                await past.read_on(tx, opening.session_id, tokens_max=tokens_max)
        # Not before: what a beginning that was rolled back has seen stands nowhere.
        self._kept.keep(opening.session_id, past.keep(tokens_max=tokens_max))
        return past.messages()

    @staticmethod
    def note(run: RunKey, event: NewEvent) -> None:
        """Have the run's next write store a hidden event too; only a process that dies before it forgets the event."""
        run.untold.append(event)

    async def append(self, run: RunKey, *events: NewEvent) -> None:
        """Store further events of the run."""

        async def write(*, again: bool) -> None:
            async with self._database.write() as tx:
                await self._sessions.enter(tx, run.session_id, touched=_can_be_seen(events), fence=run.fence)
                landed = await self._landed(tx, run) if again else 0
                last = landed or await self._append(tx, run, events)
            run.last_event_id = last
            run.untold.clear()

        await self._persevering(run, write)

    async def complete(self, run: RunKey, ending: Ending, owed: Owed | None) -> None:
        """The answer, the run's end and the Gateway's due in one transaction: all of them or none."""
        answer = to_event(PromptMessage("assistant", ending.text, "history"))

        async def write(*, again: bool) -> None:
            async with self._database.write() as tx:
                await self._sessions.enter(tx, run.session_id)
                if not again or not await self._landed(tx, run):
                    await self._give_back(tx, run)
                    answer_event_id = await self._append(tx, run, (answer,))
                    await self._end(tx, run, "completed", ending)
                    if owed is not None:
                        await self._outbox.insert(tx, owed.turn(answer_event_id), skip_reason=owed.skip_reason)
            run.held.given_back = True

        await self._persevering(run, write)

    async def fail(self, run: RunKey, error_code: str, ending: Ending, open_calls: Sequence[ToolCall]) -> None:
        """End the run as failed; the prompt stays stored, and no answer is."""
        await self._close(run, "failed", ending, open_calls, error_code=error_code)

    async def cancel(self, run: RunKey, ending: Ending, open_calls: Sequence[ToolCall]) -> None:
        """End the run as cancelled."""
        await self._close(run, "cancelled", ending, open_calls)

    async def _close(
        self,
        run: RunKey,
        status: RunStatus,
        ending: Ending,
        open_calls: Sequence[ToolCall],
        *,
        error_code: str | None = None,
    ) -> None:
        closed = [to_event(result_message(call, INTERRUPTED), is_error=True) for call in open_calls]

        async def write() -> None:
            async with self._database.write() as tx:
                await self._sessions.enter(tx, run.session_id, touched=bool(closed))
                await self._give_back(tx, run)
                await self._append(tx, run, closed)
                await self._end(tx, run, status, ending, error_code=error_code)
            run.held.given_back = True

        await whole(write())

    async def _persevering(self, run: RunKey, write: Callable[..., Coroutine[Any, Any, None]]) -> None:
        """Write, `again` where the store could not serve: it may have, and only the reply is lost. No longer than the lease is
        sure."""
        give_up = time.monotonic() + self._terms.again_s
        again = False
        while True:
            try:
                return await whole(write(again=again))
            except Unavailable:
                if run.held.lost.is_set() or time.monotonic() >= give_up:
                    raise
            if not again:
                get_logger().warning("run.write_delayed", run_id=run.run_id, session_id=run.session_id)
            again = True
            await asyncio.sleep(random.uniform(*AGAIN_AFTER_S))  # noqa: S311 - jitter, not a secret

    async def _landed(self, tx: Transaction, run: RunKey) -> int:
        """The event of an earlier try that was committed unheard, 0 without one. The session is locked: no try is under way."""
        last = await self._sessions.last_event_id(tx, run.run_id)
        return last if last > run.last_event_id else 0

    async def _give_back(self, tx: Transaction, run: RunKey) -> None:
        """Give the session back in the run's last transaction; nobody can take it before that ends."""
        if not await self._leases.release(tx, run.held.lease):
            raise LeaseLost("the run lost the lease of its session")

    async def _begin(self, opening: Opening, tx: Transaction, lease: Lease) -> None:
        """The history's newest page, the run and its prompt.

        Where the newest turn asked the same and came to no answer, the prompt takes its place.
        """
        past = Past(self._kept.find(lease.session_id))
        await past.read_newest_turn(tx, lease.session_id)
        if not await self._start(opening, tx, lease):
            return
        opening.user_event_id = await self._sessions.append_held(
            tx, lease.session_id, lease.run_id, to_event(opening.prompt)
        )
        await self._asked_again.hide(tx, past.drop_unanswered(opening.prompt.text))
        opening.past = past

    async def _start(self, opening: Opening, tx: Transaction, lease: Lease) -> bool:
        begun = {"provider": opening.provider, "model": opening.model}
        if opening.is_queued:
            return await self._sessions.start_queued_run(tx, lease.run_id, fence=lease.fence, **begun)
        return await self._sessions.start_run(tx, lease.run_id, lease.session_id, fence=lease.fence, **begun)

    async def _undo(self, tx: Transaction, lease: Lease) -> None:
        await self._sessions.end_run(tx, lease.run_id, "cancelled", stop_reason="interrupted")

    async def _append(self, tx: Transaction, run: RunKey, events: Sequence[NewEvent]) -> int:
        """What is untold yet, then the events; the last one's id."""
        event_id = 0
        for event in (*run.untold, *events):
            event_id = await self._sessions.append_held(tx, run.session_id, run.run_id, event)
        return event_id

    async def _end(
        self, tx: Transaction, run: RunKey, status: RunStatus, ending: Ending, *, error_code: str | None = None
    ) -> None:
        await self._sessions.end_run(
            tx,
            run.run_id,
            status,
            stop_reason=ending.stop_reason,
            error_code=error_code,
            usage=asdict(ending.usage),
            tools_used=list(ending.tools_used),
        )


def _can_be_seen(events: Iterable[NewEvent]) -> bool:
    return any(event.context_visible for event in events)
