"""What a turn costs the database does not grow with what is remembered already: the databases count it, and no clock."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import text

from beaver.db.engine import Database
from beaver.memory.embedding import progress
from beaver.memory.embedding.backfill import BackFill
from beaver.memory.observations.records import NewObservation
from beaver.memory.records import NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from tests.contract.memory.scene import ADA, SESSION
from tests.support.databases import lent
from tests.support.encoders import WordEncoder
from tests.support.lending import Lender
from tests.support.memory_gateway import MORNING_MS
from tests.support.rows_read import analyse, rows_read
from tests.support.statement_work import work_of

FEW = 60
MANY = 600
"""Turns of the session; others hold twice as many messages."""
GROWTH_MAX = 2
SMALL = 200
"""Steps of an execution that no growth counts for: what an observation is compared with, up to a bound, or a deeper index."""
TURNS_MEASURED = 3
OLD = 5000
"""Messages in PostgreSQL: few enough that the searches before have their word pieces in memory."""
READ_MAX = OLD // 2
"""Rows of a table that three turns may read: a small one they may read whole, again and again."""
SEARCHES_TO_WARM_UP = 30
"""Each reads some word pieces for those to come, until all are held."""


class Growing:
    """Ada's memory; each message is said a second after the one before it."""

    def __init__(self, runtime: MemoryRuntime) -> None:
        self.runtime = runtime
        self._times = count(MORNING_MS, 1000)

    async def say(self, session: str, *texts: str) -> None:
        said = [NewMessage("user", "ada", next(self._times), each) for each in texts]
        await self.runtime.add(ADA, session, said)

    async def grow(self, turns: int) -> None:
        walls = (f"Wall {number} of house {number * 7} was painted in colour {number * 13}." for number in range(turns))
        await asyncio.gather(*(self.say(SESSION, wall) for wall in walls))
        for number in range(turns // 10):
            await self.say(f"chat:{number}", *(f"Gate {number} of garden {each} is open." for each in range(20)))
            task = NewObservation("task", f"Buy brush {number} at shop {number * 3}", session_id=f"chat:{number}")
            await self.runtime.write_observation(ADA, task)
        await self.runtime.flush(ADA, SESSION)
        await self.runtime.wait_until_encoded()

    async def search(self, number: int) -> None:
        await self.runtime.search(ADA, Question(f"Who painted wall {number}?", SESSION, ("all_user_memory",), 8))

    async def turn(self, number: int) -> None:
        await self.search(number)
        await self.say(SESSION, f"We decided to paint gate {number} in green.")
        await self.runtime.flush(ADA, SESSION)


@asynccontextmanager
async def remembering(url: str) -> AsyncIterator[Growing]:
    runtime = await MemoryRuntime.open(url, encoder=WordEncoder(), clock=lambda: MORNING_MS + 10**9)
    try:
        await runtime.create_user("ada")
        yield Growing(runtime)
    finally:
        await runtime.close()


async def cost_of_turns(folder: Path, turns: int) -> Counter[str]:
    """Of three turns after so many, by statement the longest execution: how often the vectors' task looks hangs on the clock."""
    async with remembering(f"sqlite:///{folder / f'{turns}.db'}") as memory:
        await memory.grow(turns)
        work = work_of(memory.runtime._on.database)
        await memory.runtime._on.database.engine.dispose()  # what is connected anew is counted
        for number in range(SEARCHES_TO_WARM_UP):
            await memory.search(number)
        work.clear()
        for number in range(TURNS_MEASURED):
            await memory.turn(number)
        return Counter(work.longest)  # without what the close looks at


async def test_no_statement_of_a_turn_looks_at_all_that_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "THOROUGH_EVERY_S", float("inf"))  # now and then all that came lately is looked at
    monkeypatch.setattr(progress, "NEAR_IDS", FEW)
    few, many = [await cost_of_turns(tmp_path, turns) for turns in (FEW, MANY)]

    grown = {
        " ".join(statement.split()): (few[statement], steps)
        for statement, steps in many.items()
        if steps > GROWTH_MAX * few[statement] + SMALL
    }

    assert not grown


# Copies of a message that was flushed and encoded long ago.
_COPIES = f"generate_series(1, {OLD}) AS copies(i)"
_A_TURN = "(SELECT * FROM turns WHERE flushed_ms IS NOT NULL ORDER BY sequence LIMIT 1) AS one"
OLD_MESSAGES = (
    "INSERT INTO turns (id, namespace_id, conversation_id, sequence, turn_key, delivery_status, source, actor, created_ms,"
    " flushed_ms) SELECT 'old-' || i, namespace_id, conversation_id, 1000000 + i, 'old-' || i, delivery_status, source, actor,"
    f" created_ms, flushed_ms FROM {_A_TURN}, {_COPIES}",
    "INSERT INTO messages (id, namespace_id, turn_id, position, role, speaker, content, observed_ms)"
    " SELECT 'old-' || i || '.0', namespace_id, 'old-' || i, 0, CASE i % 2 WHEN 0 THEN 'user' ELSE 'assistant' END, 'ada',"
    f" 'Wall ' || i || ' of house.', i FROM {_A_TURN}, {_COPIES}",
    "INSERT INTO passages (namespace_id, conversation_id, message_id, position, start, length, observed_ms, episode, ordinal,"
    " signature) SELECT one.namespace_id, conversation_id, messages.id, 0, 0, 10, messages.observed_ms, 0, 1000000, signature"
    " FROM messages, (SELECT * FROM passages WHERE message_id IS NOT NULL ORDER BY id LIMIT 1) AS one"
    " WHERE messages.id LIKE 'old-%'",
    "INSERT INTO embeddings (namespace_id, passage_id, model, dimensions, vector, piece_ids, created_ms)"
    " SELECT one.namespace_id, passages.id, model, dimensions, vector, piece_ids, created_ms"
    " FROM passages, (SELECT * FROM embeddings ORDER BY id LIMIT 1) AS one WHERE passages.message_id LIKE 'old-%'",
    "INSERT INTO embedding_pieces (embedding_id, namespace_id, pieces) SELECT embeddings.id, one.namespace_id, one.pieces"
    " FROM embeddings JOIN passages ON passages.id = passage_id,"
    " (SELECT * FROM embedding_pieces ORDER BY embedding_id LIMIT 1) AS one WHERE passages.message_id LIKE 'old-%'",
)


async def test_nor_does_postgresql_read_a_table_for_it(
    memory_databases: Lender, memory_sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with lent(memory_databases, memory_sqlite_url) as url, remembering(url) as memory:
        database = memory.runtime._on.database
        await memory.grow(FEW)
        await age(database)
        # What waits for vectors is looked for beside the work, when the clock says so.
        monkeypatch.setattr(BackFill, "embed_page", nothing_waits)
        for number in range(SEARCHES_TO_WARM_UP):
            await memory.search(number)
        await memory.turn(0)

        async def work() -> None:
            for number in range(TURNS_MEASURED):
                await memory.turn(number)

        read = await rows_read(url, [database], work)

    assert read["messages"] > 0
    assert {table: rows for table, rows in read.items() if rows > READ_MAX} == {}


async def nothing_waits(_backfill: BackFill, **_how: bool) -> bool:
    """In place of BackFill.embed_page."""
    return False


async def age(database: Database) -> None:
    async with database.write() as tx:
        for statement in OLD_MESSAGES:
            await tx.execute(text(statement))
    await analyse(database)
