"""The operators' view of the ledger: counts, lists with filters and pages, the whole timeline of one turn. No content."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Select, func, select, text

from beaver.config.memory import MemoryOwner
from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import UNFINISHED, outbox, outbox_timeline
from beaver.outbox.states import State

PAGE_ROWS_MAX: Final = 500


@dataclass(frozen=True)
class LedgerStats:
    """How many turns stand in each state that was asked for, and for how long the oldest pending one has waited."""

    counts: Mapping[State, int]
    oldest_pending_age_ms: int | None


@dataclass(frozen=True)
class TurnFilter:
    """Which turns are meant; every rule that is set must hold. Ages count from the turn's birth, by the database's clock."""

    states: tuple[State, ...] = ()
    session_id: str | None = None
    category: str | None = None
    http_status: int | None = None
    older_than_ms: int | None = None
    newer_than_ms: int | None = None


@dataclass(frozen=True)
class TurnSummary:
    """One row of the ledger, as it stands. `cursor` asks for what comes after it."""

    run_id: str
    session_id: str
    state: State
    attempt: int
    generation: int
    holder: str | None
    error_category: str | None
    error_status: int | None
    created_ms: int
    updated_ms: int
    gateway_user_id: str
    app_id: str
    project_id: str

    @property
    def owner(self) -> MemoryOwner:
        """For whose memory it is."""
        return MemoryOwner(self.gateway_user_id, self.app_id, self.project_id)

    @property
    def cursor(self) -> str:
        """Where the next page begins."""
        return self.run_id


@dataclass(frozen=True)
class TimelineEntry:
    """One move: when, between which states, by whom, in which attempt, and the payload of its audit event."""

    at_ms: int
    from_state: State | None
    to_state: State
    actor: str
    attempt: int
    detail: Mapping[str, Any]


@dataclass(frozen=True)
class TurnStory:
    """A turn with everything that happened to it, oldest first."""

    summary: TurnSummary
    timeline: tuple[TimelineEntry, ...]


class OutboxInspection:
    """Reads the ledger for people; changes nothing. Every method runs inside the caller's transaction."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect

    async def stats(self, tx: Transaction, states: Collection[State] = tuple(State)) -> LedgerStats:
        """Counts by state, and the age of the oldest pending turn (None without one).

        Takes the longer the more are counted: `depth` is for those who ask again and again.
        """
        counted = await tx.execute(
            select(outbox.c.state, func.count()).where(outbox.c.state.in_(states)).group_by(outbox.c.state)
        )
        found = {State(state): count for state, count in counted}
        age = await tx.scalar(
            select(self._dialect.now_ms() - func.min(outbox.c.created_ms)).where(
                text(f"outbox.{UNFINISHED}"), outbox.c.state == State.PENDING
            )
        )
        return LedgerStats({state: found.get(state, 0) for state in State if state in states}, age)

    async def list_turns(
        self, tx: Transaction, wanted: TurnFilter, *, limit: int = 50, before: str | None = None
    ) -> list[TurnSummary]:
        """Newest first, at most `limit` (and 500); `before` is the cursor of the last turn of the page before."""
        # By run id, which sorts by time of birth: the primary key serves every page, however long the ledger grows.
        query = self._filtered(_summaries(), wanted).order_by(outbox.c.run_id.desc())
        if before is not None:
            query = query.where(outbox.c.run_id < before)
        found = await tx.execute(query.limit(min(limit, PAGE_ROWS_MAX)))
        return [_summary(row) for row in found]

    async def list_oldest(
        self, tx: Transaction, wanted: TurnFilter, *, limit: int = 50, after: str | None = None
    ) -> list[TurnSummary]:
        """The same from the other end: oldest first, in the order in which a bulk action takes them up."""
        query = self._filtered(_summaries(), wanted).order_by(outbox.c.run_id)
        if after is not None:
            query = query.where(outbox.c.run_id > after)
        found = await tx.execute(query.limit(min(limit, PAGE_ROWS_MAX)))
        return [_summary(row) for row in found]

    async def count(self, tx: Transaction, wanted: TurnFilter) -> int:
        """How many turns there are of that kind."""
        counted = self._filtered(select(func.count()).select_from(outbox), wanted)
        return int((await tx.execute(counted)).scalar_one())

    async def find_turn(self, tx: Transaction, run_id: str) -> TurnStory | None:
        """One turn with its whole timeline."""
        row = (await tx.execute(_summaries().where(outbox.c.run_id == run_id))).one_or_none()
        if row is None:
            return None
        told = await tx.execute(
            select(outbox_timeline).where(outbox_timeline.c.run_id == run_id).order_by(outbox_timeline.c.id)
        )
        return TurnStory(_summary(row), tuple(_entry(entry) for entry in told))

    def _filtered(self, query: Select[Any], wanted: TurnFilter) -> Select[Any]:
        if wanted.states:
            query = query.where(outbox.c.state.in_(wanted.states))
        if wanted.session_id is not None:
            query = query.where(outbox.c.session_id == wanted.session_id)
        if wanted.category is not None:
            query = query.where(outbox.c.error_category == wanted.category)
        if wanted.http_status is not None:
            query = query.where(outbox.c.error_status == wanted.http_status)
        if wanted.older_than_ms is not None:
            query = query.where(outbox.c.created_ms <= self._dialect.now_ms() - wanted.older_than_ms)
        if wanted.newer_than_ms is not None:
            query = query.where(outbox.c.created_ms > self._dialect.now_ms() - wanted.newer_than_ms)
        return query


def _summaries() -> Select[Any]:
    return select(*(outbox.c[name] for name in TurnSummary.__dataclass_fields__))


def _summary(row: Any) -> TurnSummary:
    values = dict(row._mapping)
    return TurnSummary(**{**values, "state": State(values["state"])})


def _entry(row: Any) -> TimelineEntry:
    source = None if row.from_state is None else State(row.from_state)
    return TimelineEntry(row.at_ms, source, State(row.to_state), row.actor, row.attempt, row.detail)
