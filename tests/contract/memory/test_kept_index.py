"""The index in memory while a chat goes on: what turns replace is taken out of it, and nothing is read anew for that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from sqlalchemy import func, select, update

from beaver.db.engine import Database
from beaver.memory.listing.records import MemoryFilter
from beaver.memory.records import Found, NewDocument, NewMessage, Question
from beaver.memory.retrieval.index import index_store, retiring
from beaver.memory.retrieval.index.growing import Growing
from beaver.memory.retrieval.index.index_store import PassageRow
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import namespaces, retired_passages
from beaver.schemas.gateway import SCOPES
from tests.contract.memory.scene import ADA, SESSION, turn
from tests.support.encoders import TestedEncoder
from tests.support.memory_gateway import MORNING_MS


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many passages each reading of the index brought."""
    rows, reading = list[int](), Growing.add_passages

    def counted(growing: Growing, some: Sequence[PassageRow]) -> None:
        rows.append(len(some))
        reading(growing, some)

    monkeypatch.setattr(Growing, "add_passages", counted)
    return rows


async def observed(runtime: MemoryRuntime) -> list[str]:
    page = await runtime.list_memories(ADA, MemoryFilter("observation"), limit=50)
    return [one.id for one in page.memories]


async def found_ids(runtime: MemoryRuntime, text: str) -> set[str]:
    """The ids of what answers, and of what it stands for."""
    return {each for one in await search(runtime, text) for each in (one.id, *one.why.get("also", ()))}


async def search(runtime: MemoryRuntime, text: str) -> list[Found]:
    return await runtime.search(ADA, Question(text, "chat:elsewhere", ("all_user_memory",), 20))


async def test_a_turn_of_a_session_that_has_a_summary_reads_what_is_new_alone(
    runtime: MemoryRuntime, read: list[int]
) -> None:
    for number in range(20):
        await turn(runtime, f"We decided to paint wall {number} in blue.", f"Wall {number} will be blue.")
    await search(runtime, "blue walls")
    read.clear()
    for number in range(3):
        await turn(runtime, f"The lantern number {number} is lit.", f"Lantern {number}, noted.")
        assert await search(runtime, "lanterns")
    assert read == [3, 3, 3]  # what was said, and the summary


async def test_what_a_summary_no_longer_says_is_not_found_by_it(runtime: MemoryRuntime) -> None:
    """It stands behind the message that it quotes."""
    await turn(runtime, "We decided to use PostgreSQL.", "An amber violin plays.")
    assert await kinds_found(runtime, "amber violin") == {"sum", "turn"}
    await turn(runtime, "What else?", "A crimson kettle boils.")
    assert await kinds_found(runtime, "amber violin") == {"turn"}
    assert "sum" in await kinds_found(runtime, "crimson kettle")


async def kinds_found(runtime: MemoryRuntime, text: str) -> set[str]:
    return {one.partition("_")[0] for one in await found_ids(runtime, text)}


async def test_a_fact_that_was_superseded_is_not_found_and_its_successor_is(
    runtime: MemoryRuntime, read: list[int]
) -> None:
    for number in range(20):
        await turn(runtime, f"The lantern number {number} is lit.", f"Lantern {number}, noted.")
    await turn(runtime, "I live in Oslo.", "A fine city.")
    (before,) = await observed(runtime)
    assert before in await found_ids(runtime, "where do I live: Oslo")
    read.clear()
    await turn(runtime, "I live in Rome.", "Warmer.")
    (after,) = await observed(runtime)
    found = await found_ids(runtime, "where do I live: Oslo, Rome")
    assert (before in found, after in found) == (False, True)
    assert sum(read) < 10


async def test_the_index_that_grew_answers_as_one_that_was_read_whole(runtime: MemoryRuntime, memory_url: str) -> None:
    for number in range(10):
        await turn(runtime, f"We decided to paint wall {number} in blue.", f"Wall {number} will be blue.")
        await search(runtime, "blue walls")
    fresh = await MemoryRuntime.open(memory_url, clock=lambda: MORNING_MS)
    try:
        for asked in ("blue walls", "wall 3", "decided"):
            assert [one.id for one in await search(runtime, asked)] == [one.id for one in await search(fresh, asked)]
    finally:
        await fresh.close()


async def put(runtime: MemoryRuntime, uri: str, *paragraphs: str) -> None:
    """A resource of long paragraphs, put anew where there is one."""
    words = "\n\n".join(f"{one} " + "It is told at length, as documents do. " * 20 for one in paragraphs)
    await runtime.put_resource(ADA, NewDocument(uri, "A guide", words))


async def answers(runtime: MemoryRuntime, text: str) -> list[tuple[str, float]]:
    """What is found, with how well."""
    found = await runtime.search(ADA, Question(text, "chat:elsewhere", SCOPES, 20))
    return [(one.text, round(one.score, 9)) for one in found]


@pytest.mark.parametrize("encoder", [None, TestedEncoder()], ids=["words", "meaning"])
async def test_a_resource_that_is_put_anew_is_read_alone_and_found_as_by_an_index_that_was_read_whole(
    memory_url: str, read: list[int], encoder: TestedEncoder | None
) -> None:
    grown = await MemoryRuntime.open(memory_url, clock=lambda: MORNING_MS, encoder=encoder)
    fresh: MemoryRuntime | None = None
    try:
        await grown.create_user("ada")
        for number in range(20):
            await turn(grown, f"The lantern number {number} is lit.", f"Lantern {number}, noted.")
        await put(grown, "file:///kept", "The lantern of the harbour.", "An amber violin.")
        for number in range(4):
            await put(grown, "file:///guide", f"Chapter {number} on lanterns.", *["A crimson kettle."] * (3 + number))
            await grown.wait_until_encoded()
            read.clear()
            await answers(grown, "lanterns")
            if number:
                assert sum(read) == 4 + number
        fresh = await MemoryRuntime.open(memory_url, clock=lambda: MORNING_MS, encoder=encoder)
        for asked in ("lanterns", "chapter 2", "chapter 3 on lanterns", "crimson kettle", "violin", "told at length"):
            assert await answers(grown, asked) == await answers(fresh, asked)
        assert not [text for text, _ in await answers(grown, "chapter 2") if "Chapter 2" in text]
    finally:
        await grown.close()
        if fresh is not None:
            await fresh.close()


async def test_a_process_of_an_older_release_voids_and_is_heeded(
    runtime: MemoryRuntime, memory_url: str, read: list[int]
) -> None:
    """It compares `rewrites` alone, and raises nothing else when it forgets."""
    await turn(runtime, "The lantern is lit.", "Noted.")
    await put(runtime, "file:///guide", "The first chapter on lanterns.")
    await answers(runtime, "lanterns")
    database = Database.open(memory_url)
    try:
        async with database.read() as tx:
            before: int = (await tx.scalars(select(namespaces.c.rewrites))).one()
        await put(runtime, "file:///guide", "The second chapter on lanterns.")
        async with database.write() as tx:
            assert await tx.scalar(select(namespaces.c.rewrites)) == before + 1
            raised = {name: namespaces.c[name] + 1 for name in ("revision", "rewrites")}
            await tx.execute(update(namespaces).values(raised))
    finally:
        await database.close()
    await answers(runtime, "lanterns")
    assert runtime.index().read_whole == 2


async def test_more_than_is_noted_of_what_was_replaced_is_read_anew(
    runtime: MemoryRuntime, memory_url: str, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retiring, "NOTES_MAX", 10)
    await turn(runtime, "The lantern is lit.", "Noted.")
    for number in range(5):
        await put(runtime, "file:///guide", *[f"Chapter {number} on lanterns."] * 6)
        read.clear()
        found = [text for text, _ in await answers(runtime, "chapters on lanterns")]
        assert not [text for text in found if f"Chapter {number - 1}" in text]
        assert await noted(memory_url) <= 10
    assert runtime.index().read_whole == 3  # the first time, and each second time from then on


async def noted(url: str) -> int:
    """How many retired passages are on record."""
    database = Database.open(url)
    try:
        async with database.read() as tx:
            return await tx.scalar(select(func.count()).select_from(retired_passages)) or 0
    finally:
        await database.close()


async def test_an_index_that_is_older_than_what_is_noted_is_read_anew(
    runtime: MemoryRuntime, memory_url: str, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    await turn(runtime, "We decided to use PostgreSQL.", "An amber violin plays.")
    await search(runtime, "amber violin")
    monkeypatch.setattr(retiring, "REVISIONS_KEPT", 3)
    for number in range(5):
        await turn(runtime, f"And number {number}?", f"A crimson kettle {number} boils.")
    read.clear()
    sources = [one.why.get("source") for one in await search(runtime, "amber violin")]
    assert sources.count("summary") == 0
    assert sum(read) == 14
    assert await noted(memory_url) <= 3


async def test_of_a_memory_with_a_long_past_searches_that_come_together_read_it_once(
    runtime: MemoryRuntime, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retiring, "REVISIONS_KEPT", 3)
    for number in range(5):
        await turn(runtime, f"The lantern number {number} is lit.", f"Lantern {number}, noted.")
    await asyncio.gather(*(search(runtime, "lanterns") for _ in range(4)))
    assert sum(read) == 10
    assert runtime.index().read_whole == 1


async def test_what_is_stored_and_encoded_while_an_index_is_read_keeps_its_vector(
    memory_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = await MemoryRuntime.open(memory_url, clock=lambda: MORNING_MS, encoder=TestedEncoder())
    reading, between = index_store.passages_after, ["The amber violin plays."]

    async def passages_after(*arguments: Any, **named: Any) -> AsyncIterator[Sequence[PassageRow]]:
        async for rows in reading(*arguments, **named):
            yield rows
        while between:
            await runtime.add(ADA, SESSION, [NewMessage("user", "ada", MORNING_MS, between.pop())])
            await runtime.wait_until_encoded()

    try:
        await runtime.create_user("ada")
        await turn(runtime, "The lantern is lit.", "Noted.")
        await runtime.wait_until_encoded()
        monkeypatch.setattr(index_store, "passages_after", passages_after)
        await search(runtime, "lantern")
        assert not between
        best = (await search(runtime, "amber violin"))[0]
        assert (best.text, "vector" in best.why) == ("The amber violin plays.", True)
    finally:
        await runtime.close()
