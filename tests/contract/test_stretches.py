"""A stretch of a session is read by its index and in its order, however much the session or others hold."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert

from beaver.db.engine import Database
from beaver.db.tables import events
from beaver.sessions.pages import newer_messages, older_messages
from beaver.sessions.past import FEW_MESSAGES, lately, page_back
from beaver.sessions.store import SessionStore
from tests.support.plans import plan_of, statements_of

MESSAGES = 2000


async def said(database: Database, session_id: str, count: int) -> None:
    async with database.write() as tx:
        await SessionStore(database.dialect).ensure_session(tx, session_id)
        row: dict[str, Any] = {"session_id": session_id, "kind": "message", "payload": {}, "created_ms": 1}
        turn = [{**row, "role": role, "content": role, "context_visible": True} for role in ("user", "assistant")]
        await tx.execute(insert(events), turn * (count // 2))


async def test_no_page_sorts_a_session_or_walks_through_others(database: Database) -> None:
    store = SessionStore(database.dialect)
    # What was said later elsewhere stands between the newest event and this session's.
    for session_id, count in (("s-2", MESSAGES), ("s-1", 4), ("s-3", MESSAGES)):
        await said(database, session_id, count)
    told = statements_of(database)
    async with database.read() as tx:
        read = [
            len((await older_messages(tx, "s-2", limit=20)).messages),
            len((await older_messages(tx, "s-2", limit=20, before_id=501)).messages),
            len((await newer_messages(tx, "s-2", limit=20, after_id=500)).messages),
            len(await store.events(tx, "s-2", after_id=500, limit=20)),
            len(await store.history(tx, "s-2", limit=20)),
            len(await lately(tx, "s-2", limit=20)),
            len((await page_back(tx, "s-2", FEW_MESSAGES))[0]),
        ]
        pages = [each for each in told if "FROM events" in each.statement]
        plans = ["\n".join(await plan_of(tx, each)) for each in pages]
    assert read == [*[20] * 6, FEW_MESSAGES]
    assert len(plans) == len(read)
    for plan in plans:
        assert "ix_events_session_id_id" in plan
        assert "sort" not in plan.lower()
        assert "b-tree" not in plan.lower()
