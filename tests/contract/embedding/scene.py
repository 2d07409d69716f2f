"""What is said to a memory, and the vectors that it has then."""

from __future__ import annotations

from sqlalchemy import select

from beaver.db.engine import Database, Transaction
from beaver.memory.embedding import store
from beaver.memory.namespace import Namespace
from beaver.memory.records import NewMessage
from beaver.memory.retrieval.index.index_store import VectorRow, vectors_after
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import conversations
from tests.support.encoders import TestedEncoder
from tests.support.memory_gateway import MORNING_MS

ADA, BOB = Namespace("default", "default", "ada"), Namespace("default", "default", "bob")


async def say(runtime: MemoryRuntime, *contents: str, whose: Namespace = ADA, speaker: str | None = None) -> None:
    messages = [NewMessage("user", speaker or whose.user_id, MORNING_MS, content) for content in contents]
    await runtime.add(whose, "chat:s", messages)


async def embedded(database: Database, model: str = "words") -> int:
    async with database.read() as tx:
        return (await store.count_by_model(tx)).get(model, 0)


async def vectors_of(tx: Transaction, namespace_id: int, model: str, after_id: int) -> list[VectorRow]:
    return [row async for rows in vectors_after(tx, namespace_id, model, after_id, at_once=10) for row in rows]


async def conversation_of(database: Database) -> int:
    async with database.read() as tx:
        return int((await tx.execute(select(conversations.c.id).order_by(conversations.c.id))).scalars().first() or 0)


async def is_asked(encoder: TestedEncoder) -> bool:
    return bool(encoder.asked)
