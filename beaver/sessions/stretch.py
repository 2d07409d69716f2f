"""A stretch of a session's events in SQL, from an event back or on.

Said in such a way that PostgreSQL reads no more than it gives back, also before it knows the table. Of a session by `=`
it would sort all that was ever said there, or walk back through what all sessions said; and of `kind = 'message'`, which
is the same as to have a role, it expects next to nothing. A bound stands in the statement itself, for of a parameter it
expects too much.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from sqlalchemy import BigInteger, BindParameter, ColumnElement, Select, Text, bindparam, literal_column, select, tuple_

from beaver.db.engine import Transaction
from beaver.db.tables import events
from beaver.ids import validate_session_id
from beaver.schemas.wire import INTEGER_MAX
from beaver.sessions.records import StoredEvent

CAN_BE_SEEN: Final = (events.c.context_visible, events.c.role.is_not(None))
"""Messages that are not hidden."""

# In the order of the record's fields: by their names, a long history's rows took half of its turn.
EVENT_COLUMNS: Final = tuple(events.c[field.name] for field in fields(StoredEvent))

_PLACE: Final = tuple_(events.c.session_id, events.c.id)
_SESSION: Final[BindParameter[str]] = bindparam("of", type_=Text)
_EVENT: Final = tuple_(_SESSION, bindparam("event", type_=BigInteger))


def back(wanted: Select[Any], limit: int) -> Select[Any]:
    """Of the session `of`, before the event `event` (exclusive): the newest first, at most `limit`."""
    return (
        wanted.where(events.c.session_id >= _SESSION, _EVENT > _PLACE)
        .order_by(events.c.session_id.desc(), events.c.id.desc())
        .limit(literal_column(str(limit)))
    )


def on(wanted: Select[Any], limit: int) -> Select[Any]:
    """Of the session `of`, after the event `event` (exclusive): the oldest first, at most `limit`."""
    return (
        wanted.where(events.c.session_id <= _SESSION, _EVENT < _PLACE)
        .order_by(events.c.session_id, events.c.id)
        .limit(literal_column(str(limit)))
    )


async def events_back(
    tx: Transaction, session_id: str, *wanted: ColumnElement[bool], limit: int, before_id: int = INTEGER_MAX
) -> list[StoredEvent]:
    """The newest events that meet every condition before an event (exclusive), the newest first."""
    statement = back(select(*EVENT_COLUMNS).where(*wanted), limit)
    return await _read(tx, statement, session_id, before_id)


async def events_on(
    tx: Transaction, session_id: str, *wanted: ColumnElement[bool], limit: int, after_id: int = 0
) -> list[StoredEvent]:
    """The oldest events that meet every condition after an event (exclusive), the oldest first."""
    statement = on(select(*EVENT_COLUMNS).where(*wanted), limit)
    return await _read(tx, statement, session_id, after_id)


async def _read(tx: Transaction, statement: Select[Any], session_id: str, event_id: int) -> list[StoredEvent]:
    found = await tx.execute(statement, {"of": validate_session_id(session_id), "event": event_id})
    return [StoredEvent(*row) for row in found]
