"""Another encoder on a real database: the former's vectors serve until its own are there."""

from __future__ import annotations

import pytest

from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.memory.embedding.service import EmbeddingService
from beaver.memory.runtime import MemoryRuntime
from tests.contract.embedding.scene import embedded, is_asked, say
from tests.support.encoders import TestedEncoder
from tests.support.memory_gateway import MORNING_MS
from tests.support.waiting import wait_until


async def test_19_another_encoder_migrates_online_while_the_former_serves(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    await say(runtime, *(f"note {number}" for number in range(40)))
    service.start()
    await service.wait_until_done()
    await service.close()
    newer, former = TestedEncoder("newer", 32), TestedEncoder()
    newer.gate.clear()
    migrating = EmbeddingService(
        memory_database, newer, lambda: MORNING_MS, former_encoders=lambda model: former if model == "words" else None
    )
    try:
        migrating.start()
        await wait_until(lambda: is_asked(newer), what="the newer encoder being asked")
        assert migrating.serving() is former
        assert await embedded(memory_database) == 40
        newer.gate.set()
        steps = [step async for step in migrating.progress(every_s=0.01)]
    finally:
        await migrating.close()
    assert former.closed
    assert newer.closed
    assert migrating.serving() is newer
    assert (steps[-1].model, steps[-1].embedded, steps[-1].passages, steps[-1].others) == ("newer", 40, 40, {})
    assert await embedded(memory_database, "newer") == 40


async def test_19_while_the_former_encoder_cannot_be_had_its_vectors_wait_for_nothing(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService
) -> None:
    await say(runtime, "a note")
    service.start()
    await service.wait_until_done()
    newer = TestedEncoder("newer")
    newer.broken = True
    migrating = EmbeddingService(memory_database, newer, lambda: MORNING_MS, retry_first_s=0.01)
    try:
        migrating.start()
        with pytest.raises(Unavailable):
            await migrating.wait_until_done()
        assert migrating.serving() is newer
        assert await embedded(memory_database) == 1
        newer.broken = False
        await wait_until(lambda: _has_newer(memory_database), what="the newer encoder's vectors")
        await migrating.wait_until_done()
        assert await embedded(memory_database) == 0
    finally:
        await migrating.close()


async def _has_newer(database: Database) -> bool:
    return await embedded(database, "newer") == 1
