"""Sessions, their events and runs in SQL, the same on SQLite and PostgreSQL.

Every method takes the open transaction first. Text is made storable and session ids are checked here, at the sink.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Row, and_, bindparam, delete, exists, false, func, insert, or_, select, update

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import events, leases, memory_switches, run_requests, runs, sessions
from beaver.errors import NotFound
from beaver.ids import validate_session_id
from beaver.sessions.history import from_first_question, repair
from beaver.sessions.leases import IS_UNDER_WAY, LeaseStore
from beaver.sessions.memory.turn_store import MemoryTurnStore
from beaver.sessions.records import (
    CRASHED,
    QUEUED,
    QUEUED_MS_MAX,
    RUNNING,
    UNFINISHED,
    HiddenEvent,
    NewEvent,
    RunRecord,
    RunStatus,
    SessionRecord,
    StoredEvent,
)
from beaver.sessions.storable import storable_json, storable_text
from beaver.sessions.stretch import CAN_BE_SEEN, events_back, events_on


class _Statements:
    """What each append consists of, built once a dialect. What is not named in them are columns' own names."""

    def __init__(self, dialect: SqlDialect) -> None:
        mine = update(sessions).where(sessions.c.id == bindparam("mine"))
        now = dialect.now_ms()
        self.touch = mine.values(updated_ms=now)
        self.nothing = update(sessions).where(false()).values(updated_ms=now)
        self.lock = mine.values(updated_ms=sessions.c.updated_ms)
        started = dialect.insert(runs).values(status=RUNNING, created_ms=now)
        begun = {name: started.excluded[name] for name in ("status", "fence", "provider", "model")}
        queued = and_(runs.c.status == QUEUED, runs.c.stop_requested_ms.is_(None))
        self.start = started.on_conflict_do_update(index_elements=[runs.c.id], set_=begun, where=queued)
        self.start_queued = update(runs).where(runs.c.id == bindparam("mine"), queued).values(status=RUNNING)
        unfinished = or_(*(runs.c.status == status for status in UNFINISHED))
        self.end = update(runs).where(runs.c.id == bindparam("mine"), unfinished).values(ended_ms=now)
        self.append = insert(events).returning(events.c.id)
        self.append_now = self.append.values(created_ms=now)
        self.append_hidden = insert(events).values(created_ms=now, content="", context_visible=False)
        several = select(sessions.c.id).where(dialect.is_one_of(sessions.c.id, "ids")).order_by(sessions.c.id)
        self.hold = several.with_for_update(key_share=True)
        self.hold_free = several.with_for_update(key_share=True, skip_locked=True)
        self.last_of_run = select(func.max(events.c.id)).where(events.c.run_id == bindparam("mine"))
        self.texts = select(events.c.id, events.c.content).where(dialect.is_one_of(events.c.id, "ids"))


_statements = cache(_Statements)


class SessionStore:
    """The session store. Stateless: share it between tasks."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect
        self._leases = LeaseStore(dialect)
        self._memory_turns = MemoryTurnStore(dialect)
        self._made = _statements(dialect)

    async def try_write(self, tx: Transaction) -> None:
        """What a turn's first write would do, on no row: a table may be locked or gone, and a replica answers what only reads."""
        await tx.execute(self._made.nothing)

    async def ensure_session(self, tx: Transaction, session_id: str, *, title: str | None = None) -> SessionRecord:
        """The session, created if it is not there; a title is only given at creation."""
        now = self._dialect.now_ms()
        values = {"id": validate_session_id(session_id), "title": _text(title), "created_ms": now, "updated_ms": now}
        await tx.execute(
            self._dialect.insert(sessions).values(values).on_conflict_do_nothing(index_elements=[sessions.c.id])
        )
        found = await tx.execute(select(sessions).where(sessions.c.id == session_id))
        return SessionRecord(**found.one()._mapping)

    async def find_session(self, tx: Transaction, session_id: str) -> SessionRecord | None:
        """The session, or None."""
        found = await tx.execute(select(sessions).where(sessions.c.id == validate_session_id(session_id)))
        row = found.one_or_none()
        return None if row is None else SessionRecord(**row._mapping)

    async def delete_session(self, tx: Transaction, session_id: str) -> bool:
        """Delete the session and everything of it, its words in the search index too; False when there was nothing.

        A run under way loses its lease, so that it can write nothing more. Forks of the session stay, as their own. Where
        nothing was said yet, there may be a switch.
        """
        # The lease before the rest: the order in which runs lock them.
        await self._lock_lease(tx, session_id)
        await self._memory_turns.forget_session(tx, session_id)
        await tx.execute(delete(run_requests).where(run_requests.c.session_id == session_id))
        await tx.execute(update(sessions).where(sessions.c.parent_id == session_id).values(parent_id=None))
        deleted = await tx.execute(delete(sessions).where(sessions.c.id == validate_session_id(session_id)))
        switched = await tx.execute(delete(memory_switches).where(memory_switches.c.session_id == session_id))
        if deleted.rowcount == 0:
            return switched.rowcount > 0
        for statement in self._dialect.forget_deleted_text():
            await tx.execute(statement)
        return True

    async def start_run(
        self, tx: Transaction, run_id: str, session_id: str, *, fence: int, provider: str | None, model: str | None
    ) -> bool:
        """Record a running run under the fence of its lease; False for a queued one that was stopped meanwhile."""
        begun = {"fence": fence, "provider": _text(provider), "model": _text(model)}
        started = await tx.execute(
            self._made.start, {"id": storable_text(run_id), "session_id": validate_session_id(session_id), **begun}
        )
        return started.rowcount == 1

    async def start_queued_run(
        self, tx: Transaction, run_id: str, *, fence: int, provider: str | None, model: str | None
    ) -> bool:
        """start_run for one that was queued. Raises NotFound where its session was deleted meanwhile: it goes with it."""
        begun = {"fence": fence, "provider": _text(provider), "model": _text(model)}
        started = await tx.execute(self._made.start_queued, {"mine": storable_text(run_id), **begun})
        if started.rowcount == 0 and await self.find_run(tx, run_id) is None:
            raise NotFound("the session was deleted before the run began")
        return started.rowcount == 1

    async def append(
        self,
        tx: Transaction,
        session_id: str,
        run_id: str | None,
        event: NewEvent,
        *,
        fence: int | None = None,
        at_ms: int | None = None,
    ) -> int:
        """Append an event and return its id; `at_ms` (UTC epoch milliseconds) defaults to the database's clock.

        Appends of one session wait for each other's commit, so ids rise in the order of commit. With a fence, raises
        LeaseLost unless it is the session's current one. Raises NotFound for an unknown session.
        """
        await self.enter(tx, session_id, touched=event.context_visible, fence=fence)
        return await self.append_held(tx, session_id, run_id, event, at_ms=at_ms)

    async def enter(self, tx: Transaction, session_id: str, *, touched: bool = True, fence: int | None = None) -> None:
        """Lock the session for appends to come in this transaction, and mark it as used if they can be seen.

        With a fence, raises LeaseLost unless it is the session's current one. Raises NotFound for an unknown session.
        """
        entered = await tx.execute(
            self._made.touch if touched else self._made.lock, {"mine": validate_session_id(session_id)}
        )
        if entered.rowcount == 0:
            raise NotFound("no such session")
        if fence is not None:
            await self._leases.verify(tx, session_id, fence)

    async def append_held(
        self, tx: Transaction, session_id: str, run_id: str | None, event: NewEvent, *, at_ms: int | None = None
    ) -> int:
        """Append to a session that this transaction has locked; as `append` otherwise."""
        values = {
            "session_id": session_id,
            "run_id": _text(run_id),
            "kind": storable_text(event.kind),
            "role": _text(event.role),
            "content": storable_text(event.content),
            "payload": storable_json(event.payload),
            "context_visible": event.context_visible,
        }
        if at_ms is None:
            appended = await tx.execute(self._made.append_now, values)
        else:
            appended = await tx.execute(self._made.append, {**values, "created_ms": at_ms})
        return int(appended.scalar_one())

    async def last_event_id(self, tx: Transaction, run_id: str) -> int:
        """The newest event of a run; 0 where it has none."""
        return int(await tx.scalar(self._made.last_of_run, {"mine": storable_text(run_id)}) or 0)

    async def hold(self, tx: Transaction, session_ids: Collection[str], *, waiting: bool) -> set[str]:
        """Lock sessions for appends to come in this transaction; those that are there and, unless `waiting`, free."""
        if not session_ids:
            return set()
        held = await tx.execute(
            self._made.hold if waiting else self._made.hold_free, {"ids": self._dialect.many(session_ids)}
        )
        return set(held.scalars())

    async def append_hidden(self, tx: Transaction, appended: Sequence[HiddenEvent]) -> None:
        """Append hidden events to sessions that this transaction holds, in their order."""
        if not appended:
            return
        await tx.execute(
            self._made.append_hidden,
            [
                {
                    "session_id": each.session_id,
                    "run_id": each.run_id,
                    "kind": storable_text(each.kind),
                    "payload": storable_json(each.payload),
                }
                for each in appended
            ],
        )

    async def end_run(
        self,
        tx: Transaction,
        run_id: str,
        status: RunStatus,
        *,
        stop_reason: str | None = None,
        error_code: str | None = None,
        usage: Mapping[str, Any] | None = None,
        tools_used: Sequence[str] | None = None,
    ) -> None:
        """End a running or queued run. The first end stands: one that was reaped meanwhile stays as it is."""
        ended = {
            "mine": storable_text(run_id),
            "status": status,
            "stop_reason": _text(stop_reason),
            "error_code": _text(error_code),
            "usage": storable_json(usage),
            "tools_used": storable_json(tools_used),
        }
        await tx.execute(self._made.end, ended)

    async def history(self, tx: Transaction, session_id: str, *, limit: int = 1000) -> list[StoredEvent]:
        """The newest `limit` visible messages, oldest first and repaired, so that every provider accepts them."""
        newest = await events_back(tx, session_id, *CAN_BE_SEEN, limit=limit + 1)
        ordered = newest[:limit][::-1]
        return repair(ordered if len(newest) <= limit else from_first_question(ordered))

    async def events(
        self,
        tx: Transaction,
        session_id: str,
        *,
        after_id: int = 0,
        limit: int = 500,
        kinds: Collection[str] | None = None,
    ) -> list[StoredEvent]:
        """Events as they stand, hidden ones too, by id from `after_id` (exclusive) on."""
        wanted = () if kinds is None else (events.c.kind.in_([storable_text(kind) for kind in kinds]),)
        return await events_on(tx, session_id, *wanted, after_id=after_id, limit=limit)

    async def event_texts(self, tx: Transaction, event_ids: Collection[int]) -> dict[int, str]:
        """The contents of those of the events that exist, by id."""
        found = await tx.execute(self._made.texts, {"ids": self._dialect.many(event_ids)})
        return {row.id: row.content for row in found}

    async def find_run(self, tx: Transaction, run_id: str) -> RunRecord | None:
        """The run, or None."""
        found = await tx.execute(select(runs).where(runs.c.id == storable_text(run_id)))
        row = found.one_or_none()
        return None if row is None else _run(row)

    async def list_runs(self, tx: Transaction, session_id: str, *, limit: int = 500) -> list[RunRecord]:
        """The newest `limit` runs of a session, oldest first: by fence, which unlike the clock only rises."""
        newest = (
            select(runs)
            .where(runs.c.session_id == validate_session_id(session_id))
            .order_by(runs.c.fence.desc(), runs.c.id.desc())
            .limit(limit)
        )
        return [_run(row) for row in await tx.execute(newest)][::-1]

    async def reap_runs(self, tx: Transaction, *, alive: Collection[str] = ()) -> list[str]:
        """End as crashed every running run that holds no lease any more, and those queued for too long; returns their ids.

        Expired leases are taken away first (their fence rises), so that a holder that was only slow writes nothing more. Not
        those of runs that the caller knows to be `alive`: a clock that was put forward has not ended them.
        """
        now = self._dialect.now_ms()
        await tx.execute(
            update(leases)
            .where(leases.c.run_id.is_not(None), leases.c.expires_ms <= now, leases.c.run_id.not_in(alive))
            .values(fence=leases.c.fence + 1, run_id=None, holder=None, expires_ms=0)
        )
        held = exists().where(leases.c.session_id == runs.c.session_id, leases.c.fence == runs.c.fence)
        reaped = await tx.scalars(
            update(runs)
            .where(
                IS_UNDER_WAY,
                or_(
                    and_(runs.c.status == RUNNING, ~held.where(leases.c.run_id.is_not(None))),
                    and_(runs.c.status == QUEUED, runs.c.created_ms <= now - QUEUED_MS_MAX),
                ),
            )
            .values(status="failed", error_code=CRASHED, ended_ms=now)
            .returning(runs.c.id)
        )
        return list(reaped)

    async def _lock_lease(self, tx: Transaction, session_id: str) -> None:
        await tx.execute(self._made.lock, {"mine": validate_session_id(session_id)})
        await tx.execute(select(leases.c.fence).where(leases.c.session_id == session_id).with_for_update())


def _text(text: str | None) -> str | None:
    return None if text is None else storable_text(text)


def _run(row: Row[Any]) -> RunRecord:
    return RunRecord(**{**row._mapping, "tools_used": tuple(row.tools_used or ())})
