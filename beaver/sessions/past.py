"""What was said in a session, in SQL: the newest first, page by page, as lean as a prompt needs it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import BigInteger, Text, bindparam, cast, literal_column, select, tuple_

from beaver.db.engine import Transaction
from beaver.db.tables import events
from beaver.ids import validate_session_id
from beaver.schemas.wire import INTEGER_MAX
from beaver.sessions.records import Said

PAGE_MESSAGES: Final = 250
FIRST_PAGE_MESSAGES: Final = 50

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
# Nearly every payload is empty; to read each as JSON took as long as all the rest of a row.
_EMPTY: Final = "{}"

# Said in such a way that PostgreSQL reads no more than it gives back, also before it knows the table. Of a session by `=`
# it would sort all that was ever said there, or walk back through what all sessions said; and of `kind = 'message'`, which
# is the same as to have a role, it expects next to nothing.
_PLACE: Final = tuple_(events.c.session_id, events.c.id)
_NEWEST_FIRST: Final = (
    select(events.c.id, events.c.role, events.c.content, cast(events.c.payload, Text))
    .where(
        events.c.session_id >= bindparam("of"), tuple_(bindparam("of"), bindparam("before", type_=BigInteger)) > _PLACE
    )
    .where(events.c.context_visible, events.c.role.is_not(None))
    .order_by(events.c.session_id.desc(), events.c.id.desc())
)
_FIRST, _NEXT = (
    # Its bound stands in the statement, for of a parameter PostgreSQL expects too much.
    _NEWEST_FIRST.limit(literal_column(str(most + 1)))
    for most in (FIRST_PAGE_MESSAGES, PAGE_MESSAGES)
)


async def first_page(tx: Transaction, session_id: str) -> tuple[list[Said], bool]:
    """The newest visible messages as they stand, the newest first, and whether there are more."""
    found = (await tx.execute(_FIRST, {"of": validate_session_id(session_id), "before": INTEGER_MAX})).all()
    return [_said(*row) for row in found[:FIRST_PAGE_MESSAGES]], len(found) > FIRST_PAGE_MESSAGES


async def next_page(tx: Transaction, session_id: str, before_id: int) -> tuple[list[Said], bool]:
    """The newest before an event (exclusive), in the same order, and whether there are more."""
    found = (await tx.execute(_NEXT, {"of": validate_session_id(session_id), "before": before_id})).all()
    return [_said(*row) for row in found[:PAGE_MESSAGES]], len(found) > PAGE_MESSAGES


def _said(event_id: int, role: str | None, content: str, payload: str) -> Said:
    return Said(event_id, role, content, _NOTHING if payload == _EMPTY else json.loads(payload))
