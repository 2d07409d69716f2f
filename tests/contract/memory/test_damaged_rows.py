"""Bytes that were damaged in a memory's file cost their own passage its vectors or its words; every search still answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import Table, Update, func, select, update

from beaver.db.engine import Database
from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import NewObservation
from beaver.memory.records import NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import embedding_pieces, embeddings, passages
from tests.support.encoders import WordEncoder
from tests.support.memory_engine import engine_with
from tests.support.memory_gateway import MORNING_MS
from tests.support.memory_views import found_observations

ADA = Namespace("default", "default", "ada")
SAID = ("the red kite rose", "the blue kite fell", "a lantern burns")


@pytest.fixture
async def memory(memory_url: str) -> AsyncIterator[MemoryRuntime]:
    said = [NewMessage("user", "Ada", MORNING_MS + at, text) for at, text in enumerate(SAID)]
    liked = NewObservation("preference", "Ada likes kites", "", ("She likes red kites.",))
    async with engine_with(memory_url, "ada", encoder=WordEncoder()) as opened:
        await opened.add(ADA, "chat:s", said)
        await opened.write_observation(ADA, liked)
        await opened.wait_until_encoded()
        yield opened


def cut(table: Table, column: str, by: str) -> Update:
    """A statement that takes the last byte of the first row's value."""
    value: Any = table.c[column]
    first = select(func.min(table.c[by])).scalar_subquery()
    return update(table).where(table.c[by] == first).values({column: func.substr(value, 1, func.length(value) - 1)})


DAMAGE = {
    "vector": cut(embeddings, "vector", "id"),
    "numbers of pieces": cut(embeddings, "piece_ids", "id"),
    "pieces": cut(embedding_pieces, "pieces", "embedding_id"),
    "signature": cut(passages, "signature", "id"),
}


@pytest.mark.parametrize("what", DAMAGE)
async def test_a_search_answers_over_damaged_rows(memory: MemoryRuntime, memory_database: Database, what: str) -> None:
    async with memory_database.write() as tx:
        assert (await tx.execute(DAMAGE[what])).rowcount == 1
    found = await memory.search(ADA, Question("blue kite", "chat:other", ("all_user_memory",), 10))
    assert found[0].text == SAID[1]
    assert SAID[0] in {one.text for one in found}


async def test_observations_are_found_over_a_damaged_vector(memory: MemoryRuntime, memory_database: Database) -> None:
    async with memory_database.write() as tx:
        await tx.execute(update(embeddings).values(vector=func.substr(embeddings.c.vector, 1, 9)))
    found = await found_observations(memory, ADA, "kites")
    assert [one["title"] for one in found] == ["Ada likes kites"]
