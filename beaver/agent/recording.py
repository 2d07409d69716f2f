"""Owns the transactions of a run: what is stored together, and that no cancellation cuts a write in half."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass

from beaver.agent.interruption import whole
from beaver.agent.messages import PromptMessage, ToolCall, Usage
from beaver.agent.results import StopReason
from beaver.agent.transcript import result_message, to_event, to_history
from beaver.db.engine import Database, Transaction
from beaver.outbox.store import OutboxStore
from beaver.outbox.turns import NewTurn
from beaver.sessions.history import INTERRUPTED
from beaver.sessions.leases import HeldLease, LeasePolicy, LeaseStore, held_lease
from beaver.sessions.records import HISTORY_MESSAGES_MAX, NewEvent, RunStatus
from beaver.sessions.run_again import AskedAgainStore, unanswered_before
from beaver.sessions.store import SessionStore


@dataclass(frozen=True)
class RunKey:
    """Which run writes, and under which fence."""

    run_id: str
    session_id: str
    fence: int


@dataclass(frozen=True)
class Begun:
    """What a begun run knows: the history before it, and the event of its prompt."""

    history: tuple[PromptMessage, ...]
    user_event_id: int


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
    """How a run holds its session: `ttl_s` until others may take over, `wait_s` for those that queue behind."""

    holder: str
    ttl_s: float = 30
    wait_s: float = 60


class RunRecorder:
    """One method a transaction. Every write verifies the run's fence and raises LeaseLost without it.

    A cancellation that arrives during a write lets it end, for at most 5 seconds, and is then passed on.
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

    def held(self, session_id: str, run_id: str, policy: LeasePolicy) -> AbstractAsyncContextManager[HeldLease]:
        """Hold the session, made where it does not exist, for one run. Raises Conflict when it cannot be had."""
        terms = self._terms
        return held_lease(
            self._database,
            self._leases,
            session_id,
            run_id,
            terms.holder,
            ttl_s=terms.ttl_s,
            wait_s=terms.wait_s,
            policy=policy,
        )

    async def begin(self, run: RunKey, prompt: PromptMessage, *, provider: str, model: str) -> Begun:
        """Read the history, then store that the run started, with its prompt.

        Where the newest turn asked the same and came to no answer, the prompt takes its place. Raises Conflict for a
        queued run that was stopped meanwhile.
        """
        async with self._database.read() as tx:
            events = await self._sessions.history(tx, run.session_id, limit=HISTORY_MESSAGES_MAX)
        replaced = unanswered_before(events, prompt.text)

        async def write() -> int:
            async with self._database.write() as tx:
                await self._sessions.start_run(
                    tx, run.run_id, run.session_id, fence=run.fence, provider=provider, model=model
                )
                event_id = await self._append(tx, run, to_event(prompt))
                # After the append, which has verified the fence.
                await self._asked_again.hide(tx, {event.id for event in replaced})
                return event_id

        return Begun(to_history(events[: len(events) - len(replaced)]), await whole(write()))

    async def append(self, run: RunKey, *events: NewEvent) -> None:
        """Store further events of the run."""

        async def write() -> None:
            async with self._database.write() as tx:
                for event in events:
                    await self._append(tx, run, event)

        await whole(write())

    async def complete(self, run: RunKey, ending: Ending, owed: Owed | None) -> None:
        """The answer, the run's end and the Gateway's due in one transaction: all of them or none."""

        async def write() -> None:
            async with self._database.write() as tx:
                answer = to_event(PromptMessage("assistant", ending.text, "history"))
                answer_event_id = await self._append(tx, run, answer)
                await self._end(tx, run, "completed", ending)
                if owed is not None:
                    await self._outbox.insert(tx, owed.turn(answer_event_id), skip_reason=owed.skip_reason)

        await whole(write())

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
        async def write() -> None:
            async with self._database.write() as tx:
                await self._leases.verify(tx, run.session_id, run.fence)
                for call in open_calls:
                    await self._append(tx, run, to_event(result_message(call, INTERRUPTED), is_error=True))
                await self._end(tx, run, status, ending, error_code=error_code)

        await whole(write())

    async def _append(self, tx: Transaction, run: RunKey, event: NewEvent) -> int:
        return await self._sessions.append(tx, run.session_id, run.run_id, event, fence=run.fence)

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
