"""A run is given as much of a long history as its prompt can hold, read page by page."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert

from beaver.agent.past import Past
from beaver.db.engine import Database
from beaver.db.tables import events
from beaver.errors import Unavailable
from beaver.sessions.past import FIRST_PAGE_MESSAGES, PAGE_MESSAGES
from beaver.sessions.records import HISTORY_MESSAGES_MAX
from beaver.sessions.store import SessionStore
from tests.support.engine import SESSION, Engine, Tells, asks, engine, says
from tests.unit.agent.loop.scene import texts


async def told_before(database: Database, *contents: str, session_id: str = SESSION, role: str | None = None) -> None:
    """So many messages: a user's and an answer by turns, or of this role all of them."""
    async with database.write() as tx:
        await SessionStore(database.dialect).ensure_session(tx, session_id)
        rows: list[dict[str, Any]] = [
            {
                "session_id": session_id,
                "kind": "message",
                "role": role or ("assistant" if number % 2 else "user"),
                "content": content,
                "payload": {},
                "context_visible": True,
                "created_ms": 1,
            }
            for number, content in enumerate(contents)
        ]
        await tx.execute(insert(events), rows)


def history(built: Engine) -> list[str]:
    return texts(built.provider.requests[-1], "history")


async def test_a_history_of_several_pages_comes_whole_and_in_order(database: Database) -> None:
    said = [f"words {number}" for number in range(FIRST_PAGE_MESSAGES + PAGE_MESSAGES + 7)]
    # Sessions whose ids stand beside this one's in the index.
    for neighbour in (f"{SESSION}0", SESSION[:-1]):
        await told_before(database, "not ours", "nor this", session_id=neighbour)
    await told_before(database, *said)
    built = engine(database, [says("hello")])
    await built.ask("go on")
    assert history(built) == said


async def test_what_no_prompt_can_hold_is_not_read(sqlite_database: Database) -> None:
    await told_before(sqlite_database, *(["word " * 400] * 600))
    past = Past()
    async with sqlite_database.read() as tx:
        await past.read_newest_turn(tx, SESSION)
        assert past.suffices(10_000)
        await past.read_on(tx, SESSION, tokens_max=10_000)
    assert len(past.messages()) == FIRST_PAGE_MESSAGES


async def test_behind_a_page_that_is_left_out_as_a_whole_the_history_goes_on(sqlite_database: Database) -> None:
    await told_before(sqlite_database, "Hello", "Good day")
    await told_before(sqlite_database, "where are you?", role="user")
    await told_before(sqlite_database, *(["looked"] * (FIRST_PAGE_MESSAGES - 1)), role="tool")
    built = engine(sqlite_database, [says("here I am")])
    await built.ask("where are you?")
    assert history(built) == ["Hello", "Good day"]


async def test_a_run_is_given_no_more_messages_than_the_most(sqlite_database: Database) -> None:
    said = [f"{number}" for number in range(HISTORY_MESSAGES_MAX + 2 * PAGE_MESSAGES)]
    await told_before(sqlite_database, *said)
    built = engine(sqlite_database, [says("hello")])
    await built.ask("go on")
    assert history(built) == said[-HISTORY_MESSAGES_MAX:]


async def test_a_question_asked_again_is_known_behind_more_tools_than_a_page_holds(database: Database) -> None:
    calls = [asks(("look", {"n": number})) for number in range(FIRST_PAGE_MESSAGES // 2 + 1)]
    built = engine(database, [*calls, Unavailable("away"), says("here I am")], tools=[Tells("look")])
    assert (await built.ask("where are you?")).error == "unavailable"
    assert (await built.ask("where are you?")).text == "here I am"
    assert await built.spoken() == [("user", "where are you?"), ("assistant", "here I am")]
