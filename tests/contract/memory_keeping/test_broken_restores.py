"""A restore that failed, was cancelled or killed: nothing of it is ever seen, and nothing is left."""

from __future__ import annotations

import asyncio
from io import BytesIO
from pathlib import Path

import pytest
from sqlalchemy import text, update

from beaver.db.engine import Database
from beaver.memory.forgetting import removal_store
from beaver.memory.portability.staging import Staging
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import FULLTEXT_TABLE, namespaces
from beaver.memory.upkeep.policy import RetentionPolicy
from beaver.memory.users.staging_store import IDLE_MS
from tests.contract.memory_keeping.restoring_scene import (
    ADA,
    CANARY,
    TURNS,
    all_that_ada_sees,
    breaking_off,
    exported,
    fill,
    half_restored,
    opened,
    rows,
    unwatched,
)


@pytest.mark.parametrize("rows_at_once", [2_000, 5])
async def test_a_restore_that_fails_takes_all_that_it_wrote_away_again(
    restoring: MemoryRuntime,
    memory_database: Database,
    whole: bytes,
    monkeypatch: pytest.MonkeyPatch,
    rows_at_once: int,
) -> None:
    monkeypatch.setattr(removal_store, "COST_MAX", rows_at_once)
    before = await rows(memory_database)
    with pytest.raises(ConnectionResetError):
        await restoring.restore(ADA, BytesIO(whole), breaking_off)
    assert await rows(memory_database) == before


async def test_no_word_of_a_failed_restore_is_left_in_the_bytes_of_the_files(
    memory_sqlite_url: str, days: list[int]
) -> None:
    file = Path(memory_sqlite_url.removeprefix("sqlite:///"))
    async with opened(memory_sqlite_url, days) as runtime:
        await runtime.create_user("ada")
        await fill(runtime)
        whole = await exported(runtime)
        await runtime.forget_user("ada")
        await runtime.create_user("ada")
        await runtime.wait_until_purged()
        seen = list[bool]()

        def on_progress(done: int, total: int) -> None:
            seen.append(CANARY.encode() in _bytes_of(file))
            breaking_off(done, total)

        with pytest.raises(ConnectionResetError):
            await runtime.restore(ADA, BytesIO(whole), on_progress)
        assert seen[-1]
        assert CANARY.encode() not in _bytes_of(file)


def _bytes_of(file: Path) -> bytes:
    return b"".join(path.read_bytes().lower() for path in file.parent.glob(f"{file.name}*"))


async def test_a_restore_that_is_cancelled_leaves_nothing(
    restoring: MemoryRuntime, memory_database: Database, whole: bytes
) -> None:
    before = await rows(memory_database)
    async with half_restored(restoring, whole) as (held, task):
        task.cancel()
        held.let_go()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await rows(memory_database) == before


@pytest.fixture
async def killed(
    restoring: MemoryRuntime, memory_database: Database, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> dict[str, int]:
    """What a restore left that could not take anything away again; the rows that there were before."""

    async def dead(_self: Staging, _namespace_id: int) -> None:
        return None

    before = await rows(memory_database)
    with monkeypatch.context() as patched:
        patched.setattr(Staging, "_give_up", dead)
        with pytest.raises(ConnectionResetError):
            await restoring.restore(ADA, BytesIO(whole), breaking_off)
    assert (await rows(memory_database))["messages"] > 0
    return before


async def test_what_a_killed_restore_left_is_never_seen_and_gone_with_the_next_one(
    serving: MemoryRuntime, memory_database: Database, whole: bytes, killed: dict[str, int]
) -> None:
    assert not any(await all_that_ada_sees(serving))
    await serving.restore(ADA, BytesIO(whole), unwatched)
    assert await exported(serving) == whole
    assert (await rows(memory_database))["namespaces"] == 1


async def test_a_merge_after_a_killed_restore_stores_everything(
    serving: MemoryRuntime, memory_database: Database, whole: bytes, killed: dict[str, int]
) -> None:
    assert (await serving.merge(ADA, BytesIO(whole), unwatched)).unchanged == 0
    assert len((await serving.list_memories(ADA, limit=100)).memories) >= TURNS
    assert (await rows(memory_database))["namespaces"] == 1


async def test_maintenance_removes_what_a_killed_restore_left_once_nobody_can_be_writing_to_it(
    serving: MemoryRuntime, memory_database: Database, killed: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal_store, "COST_MAX", 5)
    assert (await serving.maintain(RetentionPolicy())).leftovers == 0
    assert (await rows(memory_database))["messages"] > 0
    async with memory_database.write() as tx:
        await tx.execute(update(namespaces).values(staged_ms=namespaces.c.staged_ms - IDLE_MS))
    assert (await serving.maintain(RetentionPolicy())).leftovers == 1
    assert await rows(memory_database) == killed
    await serving.wait_until_purged()
    async with memory_database.read() as tx:
        assert (await tx.execute(text("SELECT holder FROM upkeep WHERE name = 'purge'"))).first() is None


async def test_a_user_is_forgotten_with_what_a_killed_restore_left(
    serving: MemoryRuntime, memory_database: Database, killed: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal_store, "COST_MAX", 5)
    await serving.forget_user("ada")
    left = await rows(memory_database)
    assert (left["namespaces"], left["messages"], left["passages"], left[FULLTEXT_TABLE]) == (0, 0, 0, 0)
