"""Forks in SQL: a session of its own that begins with another's messages, and the sessions that came of one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sqlalchemy import exists, insert, literal, select

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import events, sessions
from beaver.errors import NotFound
from beaver.ids import validate_session_id
from beaver.sessions.records import MESSAGE, NewEvent
from beaver.sessions.store import SessionStore

FAMILY_MAX: Final = 50


class ForkStore:
    """Forks sessions. Stateless; every method takes the open transaction first."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect
        self._sessions = SessionStore(dialect)

    async def fork(self, tx: Transaction, parent_id: str, session_id: str, *, after_event: int) -> None:
        """Make the session with copies of the parent's visible messages up to `after_event` (inclusive; 0 for none).

        The copies keep their order and times, and belong to no run: what the parent owes the Gateway it owes once. Raises
        NotFound for an unknown parent.
        """
        parent = await self._sessions.find_session(tx, parent_id)
        if parent is None:
            raise NotFound("no such session")
        now = self._dialect.now_ms()
        born = {"id": validate_session_id(session_id), "title": parent.title, "created_ms": now, "updated_ms": now}
        await tx.execute(insert(sessions).values(**born, parent_id=parent_id, forked_after_event=after_event))
        copied = (events.c.kind, events.c.role, events.c.content, events.c.payload, events.c.context_visible)
        chosen = (
            select(literal(session_id), *copied, events.c.created_ms)
            .where(events.c.session_id == parent_id, events.c.id <= after_event)
            .where(events.c.context_visible, events.c.kind == MESSAGE)
            .order_by(events.c.id)
        )
        names = ["session_id", *(column.name for column in copied), "created_ms"]
        await tx.execute(insert(events).from_select(names, chosen))

    async def seed(self, tx: Transaction, session_id: str, messages: Iterable[NewEvent]) -> bool:
        """Give a session, made where it does not exist, its first messages; False when it has some already."""
        await self._sessions.ensure_session(tx, session_id)
        await self._sessions.hold(tx, [session_id], waiting=True)
        if await tx.scalar(select(exists().where(events.c.session_id == session_id, events.c.kind == MESSAGE))):
            return False
        for message in messages:
            await self._sessions.append(tx, session_id, None, message)
        return True

    async def family(self, tx: Transaction, session_id: str, *, limit: int = FAMILY_MAX) -> list[str]:
        """The session and those forked off it, directly or not, the one used last first; empty when there is none."""
        tree = select(sessions.c.id).where(sessions.c.id == validate_session_id(session_id)).cte(recursive=True)
        tree = tree.union(select(sessions.c.id).join(tree, sessions.c.parent_id == tree.c.id))
        found = await tx.execute(
            select(sessions.c.id)
            .join(tree, sessions.c.id == tree.c.id)
            .order_by(sessions.c.updated_ms.desc(), sessions.c.id.desc())
            .limit(limit)
        )
        return list(found.scalars())

    async def fork_point(self, tx: Transaction, session_id: str, run_id: str) -> int | None:
        """Where to fork a session that went on after a run: the run's last message. None when it did not go on."""
        visible = (events.c.session_id == session_id, events.c.context_visible, events.c.kind == MESSAGE)
        last = select(events.c.id).where(*visible, events.c.run_id == run_id).order_by(events.c.id.desc()).limit(1)
        last_id = await tx.scalar(last)
        if last_id is None:
            return None
        return last_id if await tx.scalar(select(exists().where(*visible, events.c.id > last_id))) else None
