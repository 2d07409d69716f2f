"""The index in memory on a real database: it reads what is new, each thing once, whatever interrupts it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import event

from beaver.db.engine import Database, Transaction
from beaver.errors import Unavailable
from beaver.memory.namespace import Namespace
from beaver.memory.records import NewMessage, Question
from beaver.memory.retrieval.asking import older
from beaver.memory.retrieval.fulltext import Newest, match_rows
from beaver.memory.retrieval.index import held, index_store
from beaver.memory.retrieval.index.growing import Growing
from beaver.memory.retrieval.index.index_store import PassageRow
from beaver.memory.retrieval.index.memory_index import Indexed, MemoryIndex
from beaver.memory.retrieval.index.place import find_place
from beaver.memory.retrieval.ranking import MARK_CLOSE, MARK_OPEN
from beaver.memory.retrieval.terms import Term, match_expression, scope_expression
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.search import SearchService
from tests.support.memory_gateway import MORNING_MS
from tests.support.waiting import wait_until

ADA, BOB = Namespace("default", "default", "ada"), Namespace("default", "default", "bob")
ASKED = Question("lantern", "chat:s", ("all_user_memory",), 10)


@pytest.fixture
async def runtime(runtime: MemoryRuntime) -> MemoryRuntime:
    await runtime.create_user("bob")
    return runtime


@pytest.fixture
async def database(memory_url: str, runtime: MemoryRuntime) -> AsyncIterator[Database]:
    """After the runtime has made its tables."""
    del runtime
    opened = Database.open(memory_url)
    yield opened
    await opened.close()


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "ROWS_AT_ONCE", 30)


async def say(runtime: MemoryRuntime, namespace: Namespace, count: int) -> None:
    messages = [NewMessage("user", "ada", MORNING_MS + number, f"lantern {number}") for number in range(count)]
    await runtime.add(namespace, "chat:s", messages)


async def snapshot(index: MemoryIndex, database: Database, namespace: Namespace = ADA) -> Indexed:
    async with database.read() as tx:
        place = await find_place(tx, namespace, ASKED)
        assert place is not None
    return await index.snapshot(database, place)


async def test_what_is_new_is_added_to_what_was_read(
    runtime: MemoryRuntime, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, read = MemoryIndex(None), list[int]()
    await say(runtime, ADA, 70)
    assert (await snapshot(index, database)).snapshot.rows == 70
    reading = Growing.add_passages

    def counted(growing: Growing, rows: Sequence[PassageRow]) -> None:
        read.append(len(rows))
        reading(growing, rows)

    monkeypatch.setattr(Growing, "add_passages", counted)
    await say(runtime, ADA, 2)
    assert (await snapshot(index, database)).snapshot.rows == 72
    assert read == [2]


async def test_a_search_that_is_cancelled_while_it_reads_has_nothing_read_twice(
    runtime: MemoryRuntime, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(runtime, ADA, 100)
    index, reads, begun, go_on = MemoryIndex(None), Growing.add_passages, asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def slowly(growing: Growing, rows: Sequence[PassageRow]) -> None:
        loop.call_soon_threadsafe(begun.set)
        assert go_on.wait(30)
        reads(growing, rows)

    monkeypatch.setattr(Growing, "add_passages", slowly)
    search = asyncio.create_task(snapshot(index, database))
    await begun.wait()
    search.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await search
    ids = (await snapshot(index, database)).snapshot.ids.tolist()
    assert len(ids) == 100
    assert ids == sorted(set(ids))


async def test_a_search_that_waits_for_anothers_reading_holds_no_transaction_open(
    runtime: MemoryRuntime, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(runtime, ADA, 100)
    begun, go_on, reading, opened, open_now = asyncio.Event(), asyncio.Event(), index_store.passages_after, [0], [0]

    async def slowly(*arguments: Any, **named: Any) -> AsyncIterator[Sequence[PassageRow]]:
        begun.set()
        await go_on.wait()
        async for rows in reading(*arguments, **named):
            yield rows

    @asynccontextmanager
    async def counted(database: Database, how: str | None) -> AsyncIterator[Transaction]:
        async with begins(database, how) as tx:
            opened[0] += 1
            open_now[0] += 1
            try:
                yield tx
            finally:
                open_now[0] -= 1

    begins = Database._begun
    monkeypatch.setattr(Database, "_begun", counted)
    monkeypatch.setattr(index_store, "passages_after", slowly)
    search = SearchService(database, lambda: MORNING_MS)
    searches = [asyncio.create_task(search.search(ADA, ASKED)) for _ in range(3)]
    await begun.wait()

    async def all_have_looked() -> bool:
        return opened[0] >= 4 and open_now[0] <= 1

    await wait_until(all_have_looked, what="one transaction open, of the search that reads")
    go_on.set()
    assert [len(found) for found in await asyncio.gather(*searches)] == [10, 10, 10]


@pytest.mark.parametrize("messages", [100, 400])
async def test_a_memory_of_any_size_is_read_by_as_many_statements(
    runtime: MemoryRuntime, database: Database, messages: int
) -> None:
    await say(runtime, ADA, messages)
    said: list[str] = []
    event.listen(database.engine.sync_engine, "before_cursor_execute", lambda *execution: said.append(execution[2]))
    assert (await snapshot(MemoryIndex(None), database)).snapshot.rows == messages
    assert sum("signature" in each for each in said) == 2, "a page, and all that is left"


async def test_a_search_that_fails_half_way_through_reading_has_nothing_read_twice(
    runtime: MemoryRuntime, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(runtime, ADA, 100)
    index, reading, pages = MemoryIndex(None), index_store.passages_after, iter((True, False))

    async def fails_at_the_second(*arguments: Any, **named: Any) -> AsyncIterator[Sequence[PassageRow]]:
        async for rows in reading(*arguments, **named):
            if not next(pages, True):
                raise Unavailable("the database went away")
            yield rows

    monkeypatch.setattr(index_store, "passages_after", fails_at_the_second)
    with pytest.raises(Unavailable):
        await snapshot(index, database)
    assert (await snapshot(index, database)).snapshot.rows == 100


async def test_of_a_memory_too_large_the_newest_are_held_and_again_once_it_grew_by_a_quarter(
    runtime: MemoryRuntime, database: Database
) -> None:
    index = MemoryIndex(None, passages_max=40)
    await say(runtime, ADA, 60)
    first = await snapshot(index, database)
    assert (first.snapshot.rows, first.older_upto) == (40, int(first.snapshot.ids[0]) - 1)
    await say(runtime, ADA, 11)
    assert (await snapshot(index, database)).snapshot.rows == 51
    assert (await snapshot(index, database)).snapshot.rows == 40


async def test_what_was_not_searched_for_longest_is_let_go(runtime: MemoryRuntime, database: Database) -> None:
    index = MemoryIndex(None, bytes_max=1)
    for namespace in (ADA, BOB):
        await say(runtime, namespace, 3)
        assert (await snapshot(index, database, namespace)).snapshot.rows == 3
    assert (await snapshot(index, database)).snapshot.rows == 3


async def test_a_place_tells_where_a_chat_and_its_memory_stand(runtime: MemoryRuntime, database: Database) -> None:
    async with database.read() as tx:
        assert await find_place(tx, ADA, ASKED) is None
    await say(runtime, ADA, 1)
    async with database.read() as tx:
        here, elsewhere = [await find_place(tx, ADA, Question("", chat, (), 1)) for chat in ("chat:s", "chat:t")]
        assert here is not None
        assert elsewhere is not None
        assert (here.conversation_id is None, elsewhere.conversation_id) == (False, None)
        assert here.revision == elsewhere.revision
        assert await find_place(tx, BOB, ASKED) is None


@pytest.mark.parametrize(("matches_max", "by_full_text"), [(older.MATCHES_MAX, 41), (0, 1)])
async def test_what_is_too_old_for_the_index_in_memory_is_found_by_its_words(
    runtime: MemoryRuntime, database: Database, monkeypatch: pytest.MonkeyPatch, matches_max: int, by_full_text: int
) -> None:
    monkeypatch.setattr(older, "MATCHES_MAX", matches_max)
    await runtime.add(ADA, "chat:s", [NewMessage("user", "ada", MORNING_MS, "an amber violin")])
    await say(runtime, ADA, 60)
    search = SearchService(database, lambda: MORNING_MS, passages_max=20)
    found = await search.search(ADA, Question("the violin and a lantern", "chat:s", ("all_user_memory",), 100))
    told = {one.text: one.why["by"] for one in found}
    assert told["lantern 59"] == "words"
    assert len([text for text, by in told.items() if by == "full text"]) == by_full_text
    assert told["an amber violin"] == "full text"


@pytest.mark.parametrize("expected", [1.0, 1_000_000.0])
async def test_the_newest_that_match_are_found_however_common_the_words_are(
    runtime: MemoryRuntime, database: Database, expected: float
) -> None:
    await say(runtime, ADA, 40)
    await say(runtime, BOB, 40)
    async with database.read() as tx:
        place = await find_place(tx, ADA, ASKED)
        assert place is not None
        scope = scope_expression(place.namespace_id, place.conversation_id, place.scopes)
        assert scope is not None
        newest = Newest(match_expression(scope, [Term(("lanterns",))]), 35, 10, expected)
        found = await match_rows(tx, place.namespace_id, newest)
    assert sorted(one.passage_id for one in found) == list(range(26, 36))
    assert found[0].marked.startswith(f"{MARK_OPEN}lantern{MARK_CLOSE} ")
