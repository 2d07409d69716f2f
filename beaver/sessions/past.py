"""What was said in a session, in SQL: the newest first, page by page, as lean as a prompt needs it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import Text, cast, select

from beaver.db.engine import Transaction
from beaver.db.tables import events
from beaver.ids import validate_session_id
from beaver.schemas.wire import INTEGER_MAX
from beaver.sessions.records import Said
from beaver.sessions.stretch import CAN_BE_SEEN, back

PAGE_MESSAGES: Final = 250
FIRST_PAGE_MESSAGES: Final = 50
FEW_MESSAGES: Final = 10
"""What most turns add to a session, and a message before it."""

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
# Nearly every payload is empty; to read each as JSON took as long as all the rest of a row.
_EMPTY: Final = "{}"

_LEAN: Final = select(events.c.id, events.c.role, events.c.content, cast(events.c.payload, Text)).where(*CAN_BE_SEEN)
_PAGES: Final = {most: back(_LEAN, most + 1) for most in (FEW_MESSAGES, FIRST_PAGE_MESSAGES, PAGE_MESSAGES)}


async def page_back(
    tx: Transaction, session_id: str, most: int, *, before_id: int = INTEGER_MAX
) -> tuple[list[Said], bool]:
    """The newest visible messages before an event (exclusive) as they stand, the newest first, and whether there are more.

    `most` is one of the three sizes.
    """
    wanted = {"of": validate_session_id(session_id), "event": before_id}
    found = (await tx.execute(_PAGES[most], wanted)).all()
    return [_said(*row) for row in found[:most]], len(found) > most


async def lately(tx: Transaction, session_id: str, *, limit: int) -> list[Said]:
    """The newest visible messages as they stand, the oldest first."""
    wanted = {"of": validate_session_id(session_id), "event": INTEGER_MAX}
    return [_said(*row) for row in await tx.execute(back(_LEAN, limit), wanted)][::-1]


def _said(event_id: int, role: str | None, content: str, payload: str) -> Said:
    return Said(event_id, role, content, _NOTHING if payload == _EMPTY else json.loads(payload))
