"""What a row must be like: the conditions that several of the ledger's statements share."""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, exists, func, select, text
from sqlalchemy.sql.elements import TextClause

from beaver.db.tables import UNFINISHED, outbox
from beaver.outbox.states import State

Milliseconds = ColumnElement[int]


def unfinished() -> TextClause:
    """On its way. Literally the predicate of the partial indexes, so that both databases recognise it."""
    return text(f"outbox.{UNFINISHED}")


def run_out(now: Milliseconds) -> ColumnElement[bool]:
    """Claimed, but no longer."""
    return func.coalesce(outbox.c.claim_expires_ms <= now, False)


def waits(now: Milliseconds) -> ColumnElement[bool]:
    """For a worker: pending, or added by one that is gone."""
    return (outbox.c.state == State.PENDING) | ((outbox.c.state == State.ADDED) & run_out(now))


def blocked() -> ColumnElement[bool]:
    """An earlier turn of the same session is on its way."""
    earlier = outbox.alias("earlier")
    return exists(
        select(1).where(
            and_(
                earlier.c.session_id == outbox.c.session_id,
                earlier.c.position < outbox.c.position,
                text(f"earlier.{UNFINISHED}"),
            )
        )
    )


def ringable() -> ColumnElement[bool]:
    """In a state that a ring may be sent for."""
    # No IN: a list among the parameters of many executions cannot be expanded.
    return (outbox.c.state == State.PENDING) | (outbox.c.state == State.ADDED)
