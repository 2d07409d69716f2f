"""What operators may do about turns that ended badly: send again, settle, give up, look at the words, purge what is over.

Each act is one transaction with its timeline row and audit event; the queue is rung after its commit, and where it does
not answer, the relay delivers.
"""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from beaver.client.jobs import PersistQueue
from beaver.config.memory import MemoryOwner
from beaver.db.engine import Database, Transaction
from beaver.errors import BeaverError, Conflict, InvalidInput, NotFound
from beaver.outbox import states
from beaver.outbox.inspection import OutboxInspection, TurnFilter
from beaver.outbox.operator_store import Deed, HeldTurn, OperatorStore
from beaver.outbox.relay import ring_all
from beaver.outbox.states import Standing, State
from beaver.redaction import Redactor
from beaver.schemas.jobs import PersistJob
from beaver.sessions.store import SessionStore

SAFE_TO_REQUEUE: Final = (State.ADD_REFUSED, State.FLUSH_FAILED)
UNKNOWN: Final = (State.ADD_UNKNOWN, State.FLUSH_UNKNOWN)
REQUEUEABLE: Final = (*SAFE_TO_REQUEUE, *UNKNOWN)
DROPPABLE: Final = (State.ADD_REFUSED, State.FLUSH_FAILED)

REASON_CHARACTERS_MAX: Final = 500
ACTOR_CHARACTERS_MAX: Final = 100
PURGE_ROWS: Final = 200
_PAGE_ROWS: Final = 200

_APPLIED: Final = {State.ADD_UNKNOWN: State.ADDED, State.FLUSH_UNKNOWN: State.FLUSHED}
_LOST: Final = {State.ADD_UNKNOWN: State.ADD_REFUSED, State.FLUSH_UNKNOWN: State.FLUSH_FAILED}


@dataclass(frozen=True)
class Operator:
    """Who acts, and why."""

    name: str
    reason: str | None = None


@dataclass(frozen=True)
class Consent:
    """What may be risked for a turn whose outcome is unknown.

    `accept_duplicate`: the operator takes it that the Gateway may store or flush a turn twice. `key_honoured`: the
    Gateway answers a repeated `Idempotency-Key` with the first receipt, so that an add cannot be stored twice.
    """

    accept_duplicate: bool = False
    key_honoured: bool = False


@dataclass(frozen=True)
class Moved:
    """A turn that an operator moved. `rung`: whether the queue took the ring; None where none was needed."""

    run_id: str
    session_id: str
    from_state: State
    to_state: State
    attempt: int
    rung: bool | None
    later_delivered: bool


@dataclass(frozen=True)
class Refused:
    """A turn that stays as it is, and why."""

    run_id: str
    error: BeaverError


@dataclass(frozen=True)
class TurnContent:
    """The words of a turn; None for one that is no longer stored."""

    prompt: str | None
    answer: str | None


Act = Callable[[str], Awaitable[Moved]]
"""Something done to the turn of a run."""


class OutboxOperations:
    """The operators' acts. Share it between tasks; the caller owns database and queue.

    Raises NotFound for a run that is not in the ledger, Conflict where the turn's state forbids the act, InvalidInput
    for a name or reason that breaks its rule, Unavailable when the database cannot serve.
    """

    def __init__(
        self,
        database: Database,
        queue: PersistQueue,
        redactor: Redactor,
        owners: Collection[MemoryOwner] | None = None,
    ) -> None:
        """`redactor` keeps secrets out of the reasons and names that are stored.

        `owners` are those for whom workers deliver, so that nothing is sent again that they can only refuse; None: unknown.
        """
        self._database = database
        self._store = OperatorStore(database.dialect, SessionStore(database.dialect))
        self._inspection = OutboxInspection(database.dialect)
        self._queue = queue
        self._queue_answers = True
        self._redactor = redactor
        self._owners = owners

    async def requeue(self, run_id: str, by: Operator, consent: Consent) -> Moved:
        """Send a turn again under a new attempt number: from its add, or for its flush alone where its add is confirmed.

        The add carries the same `Idempotency-Key` as before. An unknown outcome needs consent and a reason.
        """
        deed = self._deed("requeue", by)
        async with self._database.write() as tx:
            turn = await self._locked(tx, run_id)
            target = requeue_target(turn.standing, consent)
            if not isinstance(target, State):
                raise Conflict(target)
            if self._owners is not None and turn.owner not in self._owners:
                raise Conflict(nobodys(turn.owner))
            if turn.standing.state in UNKNOWN and deed.reason is None:
                raise InvalidInput("reason", "is needed to send again a turn whose outcome is unknown")
            ring = await self._store.move(tx, turn, _decided(turn, target), deed, attempt=turn.attempt + 1)
        return await self._moved(turn, target, turn.attempt + 1, ring)

    async def count(self, wanted: TurnFilter) -> int:
        """How many turns match now."""
        async with self._database.read() as tx:
            return await self._inspection.count(tx, wanted)

    async def requeue_each(
        self, run_ids: Iterable[str], by: Operator, consent: Consent
    ) -> AsyncIterator[Moved | Refused]:
        """The same for several, each in a transaction of its own; one that is refused does not hold up the others."""
        async for outcome in _each(run_ids, lambda run_id: self.requeue(run_id, by, consent)):
            yield outcome

    async def requeue_matching(
        self, wanted: TurnFilter, by: Operator, consent: Consent, *, limit: int
    ) -> AsyncIterator[Moved | Refused]:
        """The same for up to `limit` turns that match now, the oldest first. None is taken twice, even if it fails again."""
        async for outcome in self._matching(wanted, lambda run_id: self.requeue(run_id, by, consent), limit):
            yield outcome

    async def drop(self, run_id: str, by: Operator) -> Moved:
        """Give up a turn whose add was refused or whose flush failed: nothing of it is sent any more."""
        deed = self._deed("drop", by)
        async with self._database.write() as tx:
            turn = await self._locked(tx, run_id)
            if turn.standing.state not in DROPPABLE:
                raise Conflict(_no_drop(turn.standing))
            await self._store.move(tx, turn, _decided(turn, State.SKIPPED), deed, attempt=turn.attempt)
        return await self._moved(turn, State.SKIPPED, turn.attempt, None)

    async def drop_each(self, run_ids: Iterable[str], by: Operator) -> AsyncIterator[Moved | Refused]:
        """The same for several, each in a transaction of its own; one that is refused does not hold up the others."""
        async for outcome in _each(run_ids, lambda run_id: self.drop(run_id, by)):
            yield outcome

    async def drop_matching(self, wanted: TurnFilter, by: Operator, *, limit: int) -> AsyncIterator[Moved | Refused]:
        """The same for up to `limit` turns that match now, the oldest first."""
        async for outcome in self._matching(wanted, lambda run_id: self.drop(run_id, by), limit):
            yield outcome

    async def _matching(self, wanted: TurnFilter, act: Act, limit: int) -> AsyncIterator[Moved | Refused]:
        cursor: str | None = None
        left = limit
        while left > 0:
            async with self._database.read() as tx:
                page = await self._inspection.list_oldest(tx, wanted, limit=min(left, _PAGE_ROWS), after=cursor)
            if not page:
                return
            cursor, left = page[-1].cursor, left - len(page)
            async for outcome in _each([turn.run_id for turn in page], act):
                yield outcome

    async def resolve(self, run_id: str, by: Operator, *, applied: bool) -> Moved:
        """Settle an unknown outcome by what a person found out. Nothing is added again.

        Applied: an add goes on to its flush, a flush is done. Lost: an add counts as refused, a flush as failed, and
        both may be requeued. The operator's audit event tells it; the Gateway's own say only what it has confirmed.
        """
        deed = self._deed("resolve_applied" if applied else "resolve_lost", by)
        async with self._database.write() as tx:
            turn = await self._locked(tx, run_id)
            target = (_APPLIED if applied else _LOST).get(turn.standing.state)
            if target is None:
                raise Conflict(f"nothing is unknown about this turn: it is {turn.standing.state}")
            ring = await self._store.move(tx, turn, _decided(turn, target), deed, attempt=turn.attempt)
        return await self._moved(turn, target, turn.attempt, ring)

    async def view_content(self, run_id: str, by: Operator) -> TurnContent:
        """The words of a turn. That somebody looked is itself an audit event, committed before they are given."""
        deed = self._deed("view_content", by)
        async with self._database.write() as tx:
            turn = await self._locked(tx, run_id)
            await self._store.note(tx, turn, turn.standing.state, deed, attempt=turn.attempt)
            prompt, answer = await self._store.texts(tx, turn)
        return TurnContent(prompt, answer)

    async def count_purgeable(self, *, older_than_ms: int) -> int:
        """How many turns a purge would delete now."""
        async with self._database.read() as tx:
            return await self._store.count_purgeable(tx, older_than_ms=older_than_ms)

    async def purge(self, by: Operator, *, older_than_ms: int) -> AsyncIterator[int]:
        """Delete what was flushed or skipped at least that long ago, batch by batch; yields the size of each.

        Failed and unknown turns stay until somebody has settled them.
        """
        actor = self._deed("purge", by).actor
        while True:
            async with self._database.write() as tx:
                purged = await self._store.purge(tx, actor, older_than_ms=older_than_ms, limit=PURGE_ROWS)
            if not purged:
                return
            yield purged

    def _deed(self, action: str, by: Operator) -> Deed:
        name = self._one_line(by.name, "actor", ACTOR_CHARACTERS_MAX)
        if not name:
            raise InvalidInput("actor", "must not be blank")
        reason = self._one_line(by.reason or "", "reason", REASON_CHARACTERS_MAX)
        return Deed(action, f"operator:{name}", reason or None)

    def _one_line(self, text: str, field: str, characters_max: int) -> str:
        if len(text) > characters_max:
            raise InvalidInput(field, f"must be at most {characters_max} characters")
        visible = "".join(" " if unicodedata.category(each).startswith("C") else each for each in text)
        return self._redactor.text(" ".join(visible.split()))

    async def _locked(self, tx: Transaction, run_id: str) -> HeldTurn:
        turn = await self._store.lock(tx, run_id)
        if turn is None:
            raise NotFound("no turn of that run is in the ledger; `beaver queue list` shows those that are")
        return turn

    async def _moved(self, turn: HeldTurn, target: State, attempt: int, ring: PersistJob | None) -> Moved:
        rung = None if ring is None else await self._ring([ring])
        source = turn.standing.state
        return Moved(turn.run_id, turn.session_id, source, target, attempt, rung, turn.later_delivered)

    async def _ring(self, jobs: Sequence[PersistJob]) -> bool:
        # A queue that does not answer costs its deadline once, not once a turn.
        if self._queue_answers:
            self._queue_answers = await ring_all(self._queue, jobs) == len(jobs)
        return self._queue_answers


async def _each(run_ids: Iterable[str], act: Act) -> AsyncIterator[Moved | Refused]:
    for run_id in run_ids:
        try:
            yield await act(run_id)
        except (NotFound, Conflict) as error:
            yield Refused(run_id, error)


def nobodys(owner: MemoryOwner) -> str:
    """Why a turn is not sent that was made for a user of whom the configuration knows nothing, and what to do."""
    return (
        f"this turn was made for the Gateway user {owner.user_id!r} (app {owner.app_id!r}, project {owner.project_id!r}), whom "
        "memory.gateway does not name: add it, with its key, to memory.gateway.earlierUsers and restart the workers, or give "
        "the turn up with `beaver queue drop`"
    )


def requeue_target(row: Standing, consent: Consent) -> State | str:
    """Where a requeue puts the row, or in plain words why it does not.

    An add that may have worked is sent again only where it cannot be stored twice, or where that is accepted. A second
    flush is harmless to a Gateway that closes what is staged (ours), but no key protects it elsewhere: it is always asked for.
    """
    match row.state:
        case State.ADD_REFUSED:
            return State.PENDING
        case State.FLUSH_FAILED:
            return State.ADDED
        case State.ADD_UNKNOWN if consent.accept_duplicate or consent.key_honoured:
            return State.PENDING
        case State.FLUSH_UNKNOWN if consent.accept_duplicate:
            return State.ADDED
        case State.ADD_UNKNOWN:
            return (
                "the Gateway may have stored this turn already: settle it with `beaver queue resolve`, or send it again "
                "all the same with --accept-duplicate"
            )
        case State.FLUSH_UNKNOWN:
            return (
                "the Gateway may have flushed this turn already: settle it with `beaver queue resolve`, or flush again "
                "all the same with --accept-duplicate"
            )
        case _:
            return _no_requeue(row)


def _no_requeue(row: Standing) -> str:
    match row.state:
        case State.FLUSHED:
            return "this turn is delivered: there is nothing to send again"
        case State.SKIPPED:
            return "this turn was never meant to be sent, or has been dropped"
        case State.PENDING:
            return "this turn waits for its delivery already"
        case State.ADDED if row.expired:
            return "this turn waits for its flush already"
        case _ if row.expired:
            return "the worker that had this turn is gone; a sweeper is about to say what became of it: look again in a minute"
        case _:
            return f"this turn is in the hands of {row.holder} ({row.state}): wait until that is over"


def _no_drop(row: Standing) -> str:
    if row.state in UNKNOWN:
        return "the Gateway may have got this turn: settle it with `beaver queue resolve` before it is dropped"
    return f"only what ended badly is dropped ({', '.join(DROPPABLE)}): this turn is {row.state}"


def _decided(turn: HeldTurn, target: State) -> Standing:
    after = states.operate(turn.standing, target)
    if after is None:
        raise AssertionError(f"no operator moves {turn.standing.state} to {target}")
    return after
