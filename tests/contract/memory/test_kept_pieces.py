"""Word pieces in memory: read once, never those of what was forgotten, and let go before what costs more to read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import delete, event, func, select, update

from beaver.db.engine import Database
from beaver.memory import search as searching
from beaver.memory.embedding.store import pieces_of
from beaver.memory.namespace import Namespace
from beaver.memory.records import NewMessage, Question
from beaver.memory.retrieval.index.kept_pieces import KeptPieces
from beaver.memory.retrieval.index.memory_index import Indexed, MemoryIndex
from beaver.memory.retrieval.index.place import find_place
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.search import SearchService
from beaver.memory.tables import embedding_pieces, embeddings
from tests.support.encoders import WordEncoder
from tests.support.memory_engine import engine_with
from tests.support.memory_gateway import MORNING_MS

ADA, BOB = Namespace("default", "default", "ada"), Namespace("default", "default", "bob")
ASKED = Question("lantern", "chat:other", ("all_user_memory",), 10)


@pytest.fixture
async def memory(memory_url: str) -> AsyncIterator[MemoryRuntime]:
    async with engine_with(memory_url, "ada", "bob", encoder=WordEncoder()) as opened:
        for namespace in (ADA, BOB):
            await say(opened, namespace, *(f"lantern {number}" for number in range(5)))
        yield opened


async def say(memory: MemoryRuntime, namespace: Namespace, *texts: str) -> tuple[str, ...]:
    added = await memory.add(namespace, "chat:s", [NewMessage("user", "Ada", MORNING_MS, text) for text in texts])
    await memory.wait_until_encoded()
    return tuple(added.message_ids)


async def indexed(index: MemoryIndex, database: Database, namespace: Namespace = ADA) -> Indexed:
    """With all its pieces kept that may be."""
    async with database.read() as tx:
        place = await find_place(tx, namespace, ASKED)
        assert place is not None
        found = await index.snapshot(database, place)
        reading = found.pieces.to_read([])
        found.pieces.keep(reading, await pieces_of(tx, place.namespace_id, "words", reading.passage_ids))
    return found


def kept(found: Indexed) -> list[int]:
    """The passages whose pieces are kept."""
    return list(found.pieces.of(found.snapshot.ids.tolist()))


@pytest.fixture
def read(memory_database: Database) -> list[str]:
    """Statements that read pieces, as they come."""
    said: list[str] = []

    def note(*execution: object) -> None:
        said.extend([str(execution[2])] if "embedding_pieces" in str(execution[2]) else [])

    event.listen(memory_database.engine.sync_engine, "before_cursor_execute", note)
    return said


async def test_pieces_are_read_by_the_first_search_and_when_a_memory_has_grown(
    memory: MemoryRuntime, memory_database: Database, read: list[str]
) -> None:
    search = SearchService(memory_database, lambda: MORNING_MS, WordEncoder)
    found = await search.search(ADA, ASKED)
    assert {one.why["by"] for one in found} == {"pieces"}
    assert len(read) == 1
    await search.search(ADA, Question("lantern 3", "chat:other", ("all_user_memory",), 10))
    assert len(read) == 1
    await say(memory, ADA, "another lantern")
    [another, *_] = await search.search(ADA, Question("another", "chat:other", ("all_user_memory",), 10))
    assert (another.text, another.why["by"], len(read)) == ("another lantern", "pieces", 2)


async def damage(database: Database) -> None:
    """The pieces of the first passage, Ada's."""
    columns = embedding_pieces.c
    first = select(func.min(columns.embedding_id)).scalar_subquery()
    cut = update(embedding_pieces).where(columns.embedding_id == first)
    async with database.write() as tx:
        await tx.execute(cut.values(pieces=func.substr(columns.pieces, 1, func.length(columns.pieces) - 1)))


async def make_anew(memory: MemoryRuntime, database: Database) -> None:
    """The first passage's vectors."""
    first = select(func.min(embeddings.c.id)).scalar_subquery()
    async with database.write() as tx:
        await tx.execute(delete(embeddings).where(embeddings.c.id == first))
    assert [coverage async for coverage in memory.reindex()]


async def test_pieces_that_are_damaged_are_looked_for_once_until_they_are_made_anew(
    memory: MemoryRuntime, memory_database: Database, read: list[str]
) -> None:
    search = SearchService(memory_database, lambda: MORNING_MS, WordEncoder)
    sound = await search.search(ADA, ASKED)
    await damage(memory_database)
    search, before = SearchService(memory_database, lambda: MORNING_MS, WordEncoder), len(read)
    for _ in range(3):
        assert {one.id for one in await search.search(ADA, ASKED)} == {one.id for one in sound}
    assert len(read) == before + 1
    await make_anew(memory, memory_database)
    assert [(one.id, one.score) for one in await search.search(ADA, ASKED)] == [(one.id, one.score) for one in sound]
    assert len(read) == before + 2


async def test_a_search_that_looked_before_pieces_were_made_anew_does_not_have_them_passed_over(
    memory: MemoryRuntime, memory_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = SearchService(memory_database, lambda: MORNING_MS, WordEncoder)
    sound = await search.search(ADA, ASKED)
    await damage(memory_database)
    search = SearchService(memory_database, lambda: MORNING_MS, WordEncoder)
    looked, go = asyncio.Event(), asyncio.Event()

    async def held(*asked: Any) -> dict[int, bytes]:
        found = await pieces_of(*asked)
        looked.set()
        await go.wait()
        return found

    with monkeypatch.context() as patched:
        patched.setattr(searching, "pieces_of", held)
        late = asyncio.create_task(search.search(ADA, ASKED))
        await looked.wait()
    await make_anew(memory, memory_database)
    await search.search(ADA, Question("nothing like it", "chat:other", ("all_user_memory",), 10))
    go.set()
    await late
    assert [(one.id, one.score) for one in await search.search(ADA, ASKED)] == [(one.id, one.score) for one in sound]


async def test_a_memory_whose_pieces_do_not_fit_is_ranked_by_those_that_are_read(
    memory: MemoryRuntime, memory_database: Database, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fitting = await SearchService(memory_database, lambda: MORNING_MS, WordEncoder).search(ADA, ASKED)
    monkeypatch.setattr(KeptPieces, "fit", False)
    search = SearchService(memory_database, lambda: MORNING_MS, WordEncoder)
    for reads in (2, 3):  # one for `fitting`
        found = await search.search(ADA, ASKED)
        assert [(one.id, one.score, one.why) for one in found] == [(one.id, one.score, one.why) for one in fitting]
        assert len(read) == reads


async def test_nothing_is_kept_of_what_was_forgotten(memory: MemoryRuntime, memory_database: Database) -> None:
    [message_id] = await say(memory, ADA, "a secret lantern")
    index = MemoryIndex("words")
    before = await indexed(index, memory_database)
    assert len(kept(before)) == 6
    await memory.forget_memory(ADA, message_id)
    after = await indexed(index, memory_database)
    assert after.pieces is not before.pieces
    assert len(after.pieces.of(before.snapshot.ids.tolist())) == len(kept(after)) == 5


async def test_pieces_are_let_go_before_a_namespace_is(memory: MemoryRuntime, memory_database: Database) -> None:
    del memory
    roomy = MemoryIndex("words")
    one = await indexed(roomy, memory_database)
    snapshot_bytes, pieces_bytes = one.snapshot.bytes, one.pieces.bytes
    index = MemoryIndex("words", bytes_max=2 * snapshot_bytes + pieces_bytes + pieces_bytes // 2)
    first = await indexed(index, memory_database)
    second = await indexed(index, memory_database, BOB)
    assert (await indexed(index, memory_database, BOB)).snapshot is second.snapshot
    assert (kept(first), len(kept(second))) == ([], 5)
    assert (await indexed(index, memory_database)).snapshot is first.snapshot
