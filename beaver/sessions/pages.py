"""A session's visible messages page by page, in SQL: the newest, those before one, those after one."""

from __future__ import annotations

from dataclasses import dataclass

from beaver.db.engine import Transaction
from beaver.schemas.wire import INTEGER_MAX
from beaver.sessions.history import from_first_question, repair
from beaver.sessions.records import StoredEvent
from beaver.sessions.stretch import CAN_BE_SEEN, events_back, events_on


@dataclass(frozen=True)
class MessagePage:
    """Messages, oldest first. `has_more`: there are further ones in the direction in which the page was asked for."""

    messages: list[StoredEvent]
    has_more: bool


async def older_messages(tx: Transaction, session_id: str, *, limit: int, before_id: int | None = None) -> MessagePage:
    """The newest messages, or the newest before an event (exclusive): whole turns, unless one is longer than a page.

    Among the newest, calls of tools that came to no result are closed as interrupted, as models see them.
    """
    before = INTEGER_MAX if before_id is None else before_id
    found = await events_back(tx, session_id, *CAN_BE_SEEN, before_id=before, limit=limit + 1)
    has_more = len(found) > limit
    page = list(from_first_question(found[:limit][::-1]) if has_more else found[::-1])
    # Where a page begins or ends within a turn, the other half of a call is on the next one.
    is_whole = before_id is None and (not has_more or page[0].role == "user")
    return MessagePage(repair(page) if is_whole else page, has_more)


async def newer_messages(tx: Transaction, session_id: str, *, limit: int, after_id: int) -> MessagePage:
    """The oldest messages after an event (exclusive), as they stand."""
    found = await events_on(tx, session_id, *CAN_BE_SEEN, after_id=after_id, limit=limit + 1)
    return MessagePage(found[:limit], has_more=len(found) > limit)
