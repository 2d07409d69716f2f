"""A session's visible messages page by page, in SQL: the newest, those before one, those after one."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement

from beaver.db.engine import Transaction
from beaver.db.tables import events
from beaver.ids import validate_session_id
from beaver.sessions.history import from_first_question, repair
from beaver.sessions.records import MESSAGE, StoredEvent
from beaver.sessions.store import select_events


@dataclass(frozen=True)
class MessagePage:
    """Messages, oldest first. `has_more`: there are further ones in the direction in which the page was asked for."""

    messages: list[StoredEvent]
    has_more: bool


async def older_messages(tx: Transaction, session_id: str, *, limit: int, before_id: int | None = None) -> MessagePage:
    """The newest messages, or the newest before an event (exclusive): whole turns, unless one is longer than a page.

    Among the newest, calls of tools that came to no result are closed as interrupted, as models see them.
    """
    before = () if before_id is None else (events.c.id < before_id,)
    found = await select_events(tx, *_visible(session_id), *before, newest_first=True, limit=limit + 1)
    has_more = len(found) > limit
    page = list(from_first_question(found[:limit][::-1]) if has_more else found[::-1])
    # Where a page begins or ends within a turn, the other half of a call is on the next one.
    is_whole = before_id is None and (not has_more or page[0].role == "user")
    return MessagePage(repair(page) if is_whole else page, has_more)


async def newer_messages(tx: Transaction, session_id: str, *, limit: int, after_id: int) -> MessagePage:
    """The oldest messages after an event (exclusive), as they stand."""
    found = await select_events(tx, *_visible(session_id), events.c.id > after_id, limit=limit + 1)
    return MessagePage(found[:limit], has_more=len(found) > limit)


def _visible(session_id: str) -> tuple[ColumnElement[bool], ...]:
    return events.c.session_id == validate_session_id(session_id), events.c.context_visible, events.c.kind == MESSAGE
