"""A restore while others use the database: nobody waits for it, nobody sees half of it, whatever else is done meanwhile."""

from __future__ import annotations

import asyncio
from io import BytesIO

import pytest
from sqlalchemy import func, select

from beaver.db.engine import Database
from beaver.errors import Conflict, InvalidInput, NotFound
from beaver.memory.listing.records import MemoryFilter
from beaver.memory.namespace import Namespace
from beaver.memory.portability.merging import Merged
from beaver.memory.records import NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import FULLTEXT_TABLE, embeddings
from beaver.memory.upkeep.policy import RetentionPolicy
from beaver.memory.users.store import ensure_namespace
from beaver.schemas.gateway import SCOPES
from tests.contract.memory_keeping.restoring_scene import (
    ADA,
    BOB,
    CANARY,
    TURNS,
    all_that_ada_sees,
    exported,
    half_restored,
    opened,
    rows,
    unwatched,
)
from tests.support.encoders import WordEncoder
from tests.support.memory_gateway import MORNING_MS
from tests.support.waiting import wait_until


async def test_while_a_restore_is_under_way_others_write_and_its_readers_see_nothing_and_then_everything(
    restoring: MemoryRuntime, serving: MemoryRuntime, whole: bytes
) -> None:
    nothing, before = await all_that_ada_sees(serving), await serving.figures()
    assert not any(nothing)
    async with half_restored(restoring, whole) as (held, task):
        during = await serving.figures()
        assert await all_that_ada_sees(serving) == nothing
        with pytest.raises(NotFound):
            await exported(serving)
        assert (during.counts, during.indexed, during.without_vectors, during.largest_users) == (
            before.counts,
            before.indexed,
            before.without_vectors,
            before.largest_users,
        )
        await serving.add(BOB, "chat:b", [NewMessage("user", "bob", MORNING_MS, "bob's words")])
        assert (await serving.flush(BOB, "chat:b")).messages == 1
        held.let_go()
        assert (await task).changed == whole.count(b"\n") - 2
    assert await exported(serving) == whole
    assert all((await all_that_ada_sees(serving))[:2])
    assert (await serving.figures()).counts["messages"] == TURNS + 1


async def test_what_a_process_knew_of_the_empty_memory_is_void_once_it_is_restored(
    restoring: MemoryRuntime, serving: MemoryRuntime, memory_database: Database, whole: bytes
) -> None:
    async with memory_database.write() as tx:
        for _ in range(100):
            await ensure_namespace(tx, ADA, MORNING_MS)
    known = await serving.revision(ADA)
    assert await serving.search(ADA, Question(CANARY, "chat:0", SCOPES, 50)) == []
    await restoring.restore(ADA, BytesIO(whole), unwatched)
    assert await serving.revision(ADA) > known
    assert await serving.search(ADA, Question(CANARY, "chat:0", SCOPES, 50))


async def test_maintenance_leaves_alone_what_is_not_there_yet(
    restoring: MemoryRuntime, serving: MemoryRuntime, whole: bytes, days: list[int]
) -> None:
    async with half_restored(restoring, whole) as (held, task):
        days[0] = 1000
        report = await serving.maintain(RetentionPolicy())
        assert (report.compressed, report.archived, report.deleted, report.leftovers) == (0, 0, 0, 0)
        assert await serving.forget_expired(rows_max=100) == 0
        held.let_go()
        await task
    assert await exported(serving) == whole


async def test_vectors_that_were_made_meanwhile_are_searched_by_afterwards(
    restoring: MemoryRuntime, memory_url: str, memory_database: Database, whole: bytes, days: list[int]
) -> None:
    async def most_are_made() -> bool:
        async with memory_database.read() as tx:
            return (await tx.scalar(select(func.count()).select_from(embeddings)) or 0) > TURNS

    async with opened(memory_url, days, WordEncoder()) as encoding:
        async with half_restored(restoring, whole) as (held, task):
            await encoding.add(BOB, "chat:b", [NewMessage("user", "bob", MORNING_MS, "hello")])
            await wait_until(most_are_made, what="vectors of the restore's passages")
            held.let_go()
            await task
        found = await encoding.search(ADA, Question(f"{CANARY} number 3", "chat:0", SCOPES, 50))
    assert found[0].text == f"{CANARY} number 3"
    assert found[0].why["by"] == "pieces"


def test_no_name_from_outside_is_that_of_a_staged_namespace() -> None:
    with pytest.raises(InvalidInput, match="control characters"):
        Namespace("\x01default", "default", "ada")


async def test_without_its_user_a_file_is_not_restored(
    restoring: MemoryRuntime, memory_database: Database, whole: bytes
) -> None:
    await restoring.forget_user("ada")
    with pytest.raises(NotFound, match="no such user"):
        await restoring.restore(ADA, BytesIO(whole), unwatched)
    assert (await rows(memory_database))["namespaces"] == 0


async def test_a_user_who_is_forgotten_during_a_restore_stays_forgotten(
    restoring: MemoryRuntime, serving: MemoryRuntime, memory_database: Database, whole: bytes
) -> None:
    async with half_restored(restoring, whole) as (held, task):
        await serving.forget_user("ada")
        left = await rows(memory_database)
        await serving.create_user("ada")
        held.let_go()
        with pytest.raises(Conflict, match="its user was forgotten"):
            await task
    assert (left["namespaces"], left["messages"], left[FULLTEXT_TABLE]) == (0, 0, 0)
    assert await rows(memory_database) == {**left, "users": 2, "user_keys": 2}
    with pytest.raises(NotFound):
        await exported(serving)


async def test_of_two_restores_at_once_the_one_that_began_last_wins(
    restoring: MemoryRuntime, serving: MemoryRuntime, whole: bytes
) -> None:
    async with half_restored(restoring, whole) as (held, task):
        second = await serving.restore(ADA, BytesIO(whole), unwatched)
        assert second == Merged(changed=whole.count(b"\n") - 2)
        held.let_go()
        with pytest.raises(Conflict, match="another one of this memory began"):
            await task
        assert await exported(serving) == whole
    assert await restoring.restore(ADA, BytesIO(whole), unwatched) == Merged(unchanged=second.changed)


async def test_many_restores_at_once_end_with_the_whole_once(
    restoring: MemoryRuntime, serving: MemoryRuntime, memory_database: Database, whole: bytes
) -> None:
    asked = [restoring, serving, restoring, serving]
    ends = await asyncio.gather(
        *(each.restore(ADA, BytesIO(whole), unwatched) for each in asked), return_exceptions=True
    )
    lines = whole.count(b"\n") - 2
    assert ends.count(Merged(changed=lines)) == 1
    assert all(isinstance(end, Conflict) or end in (Merged(changed=lines), Merged(unchanged=lines)) for end in ends)
    assert await exported(serving) == whole
    assert (await rows(memory_database))["namespaces"] == 1


async def test_what_is_stored_during_a_restore_stays_and_the_restore_gives_way(
    restoring: MemoryRuntime, serving: MemoryRuntime, memory_database: Database, whole: bytes
) -> None:
    async with half_restored(restoring, whole) as (held, task):
        await serving.add(ADA, "chat:0", [NewMessage("user", "ada", MORNING_MS, "said since")])
        held.let_go()
        with pytest.raises(Conflict, match="holds memories"):
            await task
    [memory] = (await serving.list_memories(ADA)).memories
    assert getattr(memory, "content", None) == "said since"
    assert (await rows(memory_database))["namespaces"] == 1


async def test_no_add_is_lost_to_a_restore_that_ends_in_the_same_moment(
    restoring: MemoryRuntime, serving: MemoryRuntime, memory_database: Database, whole: bytes
) -> None:
    async with memory_database.write() as tx:
        await ensure_namespace(tx, ADA, MORNING_MS)  # there is one, of which the adds know the number
    written = asyncio.Event()

    def on_progress(done: int, total: int) -> None:
        if done == total:
            written.set()

    async def add(namespace: Namespace) -> None:
        await serving.add(namespace, "chat:now", [NewMessage("user", namespace.user_id, MORNING_MS, "said just now")])

    task = asyncio.create_task(restoring.restore(ADA, BytesIO(whole), on_progress))
    await written.wait()
    await asyncio.gather(*map(add, (BOB, ADA) * 10))
    [end] = await asyncio.gather(task, return_exceptions=True)
    there = (await serving.list_memories(ADA, MemoryFilter(kind="message"), limit=100)).memories
    restored = end == Merged(changed=whole.count(b"\n") - 2)
    assert restored or isinstance(end, Conflict)
    assert len(there) == (TURNS if restored else 0) + 10
