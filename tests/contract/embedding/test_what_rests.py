"""What is not encoded at once: a summary that each turn writes anew, and what was stored long after it got its ids."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import chain

import pytest
from sqlalchemy import select

from beaver.db.engine import Database
from beaver.memory.embedding import progress
from beaver.memory.embedding.backfill import SUMMARIES_REST_MS
from beaver.memory.embedding.service import EmbeddingService
from beaver.memory.records import NewMessage
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import embeddings, passages
from tests.contract.embedding.scene import ADA, embedded, say
from tests.support.encoders import TestedEncoder
from tests.support.memory_gateway import MORNING_MS
from tests.support.waiting import wait_until


class Now:
    """A clock that a test moves; the summaries of the scene are written at MORNING_MS."""

    ms = MORNING_MS

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
async def service(memory_database: Database, encoder: TestedEncoder, now: Now) -> AsyncIterator[EmbeddingService]:
    made = EmbeddingService(memory_database, encoder, now, retry_first_s=0.01)
    yield made
    await made.close()


async def decide(runtime: MemoryRuntime, what: str, said_ms: int = MORNING_MS) -> None:
    """A turn that teaches something, so that its session has a summary."""
    said = [
        NewMessage("user", "ada", said_ms, f"We decided to {what}."),
        NewMessage("assistant", "b", said_ms, "Good."),
    ]
    await runtime.add(ADA, "chat:s", said)
    await runtime.flush(ADA, "chat:s")


async def without_vectors(database: Database) -> list[bool]:
    """Of each passage that waits, whether it is a summary's."""
    waits = select(passages.c.summary_id.is_not(None)).outerjoin(embeddings, embeddings.c.passage_id == passages.c.id)
    async with database.read() as tx:
        return [bool(each) for each in await tx.scalars(waits.where(embeddings.c.id.is_(None)))]


async def summary_alone_waits(database: Database) -> bool:
    return await without_vectors(database) == [True]


async def nothing_waits(database: Database) -> bool:
    return await without_vectors(database) == []


@pytest.mark.parametrize("delivered_after_ms", [0, 2 * 86_400_000], ids=["at_once", "after_two_days"])
async def test_a_summary_is_encoded_once_it_has_rested_not_with_each_turn(
    runtime: MemoryRuntime,
    memory_database: Database,
    service: EmbeddingService,
    encoder: TestedEncoder,
    now: Now,
    delivered_after_ms: int,
) -> None:
    service.start()
    for number in range(5):
        await decide(runtime, f"paint wall {number} blue", MORNING_MS - delivered_after_ms)
        service.wake()
        await wait_until(lambda: summary_alone_waits(memory_database), what="all but the summary")
    assert not any("\n" in text for text in chain.from_iterable(encoder.asked))  # as a summary's has

    now.ms += SUMMARIES_REST_MS
    service.wake()
    await wait_until(lambda: nothing_waits(memory_database), what="the summary")
    assert sum("\n" in text for text in chain.from_iterable(encoder.asked)) == 1


async def test_whoever_waits_until_all_is_encoded_has_the_summaries_too(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService
) -> None:
    await decide(runtime, "paint the wall blue")
    service.start()
    await service.wait_until_done()
    assert await nothing_waits(memory_database)


async def test_a_summary_that_has_not_rested_is_encoded_as_the_service_closes(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService
) -> None:
    service.start()
    await service.wait_until_done()
    await decide(runtime, "paint the wall blue")
    service.wake()
    await wait_until(lambda: summary_alone_waits(memory_database), what="all but the summary")
    await wait_until(lambda: _is_idle(service), what="the service resting")
    await service.close()
    assert await nothing_waits(memory_database)


async def test_a_close_waits_for_no_encoder_that_is_broken(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    service.start()
    await service.wait_until_done()
    await wait_until(lambda: _is_idle(service), what="the service resting")
    await decide(runtime, "paint the wall blue")
    encoder.broken = True
    await service.close()
    assert await embedded(memory_database) == 0


async def _is_idle(service: EmbeddingService) -> bool:
    return service._idle


async def test_a_summary_of_a_clock_that_stepped_back_rests_no_longer(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, now: Now
) -> None:
    await decide(runtime, "paint the wall blue")
    now.ms -= 3_600_000
    service.start()
    await wait_until(lambda: nothing_waits(memory_database), what="the summary")


async def test_what_was_stored_long_after_it_got_its_ids_is_found_by_a_thorough_look(
    runtime: MemoryRuntime,
    memory_database: Database,
    service: EmbeddingService,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "NEAR_IDS", 0)
    await say(runtime, "early", "late")
    service.start()
    await service.wait_until_done()
    async with memory_database.write() as tx:
        await tx.execute(embeddings.delete().where(embeddings.c.passage_id == 1))

    monkeypatch.setattr(progress, "THOROUGH_EVERY_S", float("inf"))
    await say(runtime, "next")
    service.wake()
    await wait_until(lambda: _has(memory_database, 2), what="what is new alone")

    monkeypatch.setattr(progress, "THOROUGH_EVERY_S", 0.0)
    service.wake()
    await wait_until(lambda: _has(memory_database, 3), what="what came late")


async def _has(database: Database, count: int) -> bool:
    return await embedded(database) == count
