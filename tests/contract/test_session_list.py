"""The list of sessions on both databases: its order and pages, and what was said first in each."""

from __future__ import annotations

import pytest
from sqlalchemy import delete, insert, update

from beaver.db.engine import Database
from beaver.db.tables import events, sessions
from beaver.sessions.forks import ForkStore
from beaver.sessions.listing import find_listed, list_sessions
from beaver.sessions.records import MESSAGE, NewEvent
from beaver.sessions.run_again import AskedAgainStore
from beaver.sessions.store import SessionStore
from tests.support.plans import plan_of, statements_of


@pytest.fixture
def store(database: Database) -> SessionStore:
    return SessionStore(database.dialect)


async def say(database: Database, session_id: str, *said: tuple[str, str], title: str | None = None) -> list[int]:
    """What was said in a session, made where it does not exist: roles and words. Returns the messages' ids."""
    store = SessionStore(database.dialect)
    async with database.write() as tx:
        await store.ensure_session(tx, session_id, title=title)
        return [await store.append(tx, session_id, None, NewEvent(MESSAGE, text, role)) for role, text in said]


async def listed(database: Database) -> dict[str, tuple[str | None, str | None]]:
    """Title and preview of each session; the one that is read by itself shows the same."""
    async with database.read() as tx:
        page = await list_sessions(tx)
        assert [await find_listed(tx, each.id) for each in page] == page
    return {each.id: (each.title, each.preview) for each in page}


async def test_sessions_are_listed_by_last_use_page_by_page(database: Database) -> None:
    for name in "abcde":
        await say(database, name, ("user", "words"))
    async with database.write() as tx:
        for name, used in {"a": 50, "b": 10, "c": 30, "d": 30, "e": 20}.items():
            await tx.execute(update(sessions).where(sessions.c.id == name).values(updated_ms=used))

    pages, before = [], None
    for _ in range(3):
        async with database.read() as tx:
            page = await list_sessions(tx, limit=2, before=before)
        pages.append([session.id for session in page])
        before = (page[-1].updated_ms, page[-1].id)

    assert pages == [["a", "d"], ["c", "e"], ["b"]]


async def test_a_session_shows_what_its_person_said_first(database: Database) -> None:
    await say(
        database, "s-1", ("user", "How do\n beavers build?"), ("assistant", "With wood."), ("user", "And otters?")
    )
    await say(database, "s-2", ("assistant", "Hello!"), ("user", "Hello."), title="Greetings")
    await say(database, "s-3")
    await say(database, "s-4", ("assistant", "Hello!"))

    assert await listed(database) == {
        "s-1": (None, "How do beavers build?"),
        "s-2": ("Greetings", "Hello."),
        "s-3": (None, None),
        "s-4": (None, None),
    }


async def test_what_is_hidden_or_gone_is_not_shown_any_more(database: Database, store: SessionStore) -> None:
    first, second, _ = await say(database, "s-1", ("user", "secret one"), ("user", "secret two"), ("user", "plain"))
    async with database.write() as tx:
        await AskedAgainStore(database.dialect).hide(tx, [first])
    assert await listed(database) == {"s-1": (None, "secret two")}
    async with database.write() as tx:
        await tx.execute(delete(events).where(events.c.id == second))
    assert await listed(database) == {"s-1": (None, "plain")}
    async with database.write() as tx:
        await store.delete_session(tx, "s-1")
    assert await listed(database) == {}


async def test_a_fork_shows_the_words_that_it_was_given(database: Database) -> None:
    first, _ = await say(database, "s-1", ("user", "How do beavers build?"), ("user", "And otters?"))
    async with database.write() as tx:
        forks = ForkStore(database.dialect)
        await forks.fork(tx, "s-1", "s-2", after_event=first)
        await forks.fork(tx, "s-1", "s-3", after_event=0)

    shown = await listed(database)
    assert (shown["s-2"], shown["s-3"]) == ((None, "How do beavers build?"), (None, None))


async def test_a_page_is_one_statement_that_reads_no_more_than_it_shows(database: Database) -> None:
    async with database.write() as tx:
        names = [f"s-{number:04}" for number in range(2000)]
        born = {"created_ms": 1, "updated_ms": 1}
        await tx.execute(insert(sessions), [{"id": name, **born} for name in names])
        said = {"kind": MESSAGE, "role": "user", "payload": {}, "context_visible": True, "created_ms": 1}
        await tx.execute(insert(events), [{"session_id": name, "content": name, **said} for name in names * 2])
    told = statements_of(database)
    async with database.read() as tx:
        page = await list_sessions(tx, limit=20)
        asked = [each for each in told if "FROM events" in each.statement]
        plan = "\n".join(await plan_of(tx, asked[0]))

    assert [each.preview for each in page] == [each.id for each in page]
    assert len(asked) == 1
    assert "ix_events_session_id_id" in plan
    assert "scan events" not in plan.lower()
    assert "seq scan on events" not in plan.lower()
