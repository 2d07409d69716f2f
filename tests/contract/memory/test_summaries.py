"""Session summaries on both databases: one row a session, of what still holds."""

from __future__ import annotations

from sqlalchemy import func, select

from beaver.db.engine import Database
from beaver.memory.records import NewMessage
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import passages, session_summaries
from tests.contract.memory.scene import ADA, SESSION, turn
from tests.support.memory_gateway import MORNING_MS
from tests.support.memory_views import last_sessions


async def rows_and_passages(url: str) -> tuple[int, int]:
    database = Database.open(url)
    try:
        async with database.read() as tx:
            rows = await tx.scalar(select(func.count()).select_from(session_summaries)) or 0
            found = select(func.count()).select_from(passages).where(passages.c.summary_id.is_not(None))
            return rows, await tx.scalar(found) or 0
    finally:
        await database.close()


async def test_a_summary_is_one_row_and_one_passage_however_often_it_is_written(
    runtime: MemoryRuntime, memory_url: str
) -> None:
    await turn(runtime, "We decided to use PostgreSQL.", "Good choice.")
    await turn(runtime, "Remind me to order the server on Monday.", "I will.")
    await runtime.flush(ADA, SESSION)

    (session,) = await last_sessions(runtime, ADA)
    assert (session["session_id"], session["observations"], len(session["open_items"])) == (SESSION, 2, 1)
    assert (session["request"], session["outcome"]) == ("We decided to use PostgreSQL.", "I will.")
    assert session["decisions"] == ["We decided to use PostgreSQL"]
    assert await rows_and_passages(memory_url) == (1, 1)


async def test_an_empty_session_has_no_summary(runtime: MemoryRuntime, memory_url: str) -> None:
    await runtime.flush(ADA, SESSION)
    await turn(runtime, "Good morning!", "Good morning.")

    assert await last_sessions(runtime, ADA) == []
    assert await rows_and_passages(memory_url) == (0, 0)


async def test_the_prompt_index_lists_what_is_remembered_and_the_last_sessions(runtime: MemoryRuntime) -> None:
    await turn(runtime, "We decided to use PostgreSQL.", "Good choice.")

    index = await runtime.prompt_index(ADA, "which database?", trust="full")
    assert (index.observations, index.degraded) == (1, ())
    assert "PostgreSQL" in index.text
    assert SESSION in index.text
    assert SESSION not in (await runtime.prompt_index(ADA, "which database?", trust="inner")).text
    assert (await runtime.prompt_index(ADA, "which database?", trust="public")).text == ""


async def test_a_summary_is_of_the_day_of_its_session_also_where_that_is_learned_of_later(
    runtime: MemoryRuntime, memory_url: str
) -> None:
    year_ago = MORNING_MS - 365 * 86_400_000
    said = [
        NewMessage("user", "ada", year_ago, "We decided to use PostgreSQL."),
        NewMessage("assistant", "beaver", year_ago + 1000, "Good choice."),
    ]
    await runtime.add(ADA, SESSION, said)
    await runtime.flush(ADA, SESSION)

    database = Database.open(memory_url)
    try:
        async with database.read() as tx:
            mine = select(passages.c.observed_ms).where(passages.c.summary_id.is_not(None))
            assert await tx.scalar(mine) == year_ago + 1000
    finally:
        await database.close()
